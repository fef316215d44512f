import type { Behaviours } from './behaviours.mjs';

export const fetchBehaviours: Behaviours;
