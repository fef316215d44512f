export { frozenClock } from './frozen-clock.js';
export { assertNoLeaks } from './no-leaks.js';
export { type DefaultOverrides, overrideDefaults, type RestorableOverride } from './override-defaults.js';
export { fixedRandom, seededRandom } from './random.js';
export { type ScriptedCall, type ScriptedTask, type StepOptions, scriptedTask } from './scripted-task.js';
export { type PendingTimer, type VirtualClock, type VirtualClockOptions, virtualClock } from './virtual-clock.js';
