import { aFunction, mustBe } from '../assert.js';
import { type Classifier, judgement } from '../classify.js';
import { classifierOf } from './verdicts.js';

/**
 * Has a classifier asked along the causes: about the error, then about its cause, and so on, and the first verdict counts. An `AggregateError` is
 * transient if each of its members is. What was aborted or bears the permanent mark, a dead letter above all, is permanent wherever it
 * stands. The classifiers of this library do so by themselves.
 *
 * @throws {TypeError} if `classifier` is no function; when it is asked, if the answer is no verdict
 * @example
 * const wrapped = new Error('import failed', { cause: new TransientFailure('busy') })
 * markedFailures(wrapped) // => undefined
 * throughCause(markedFailures)(wrapped) // => 'transient'
 */
export function throughCause(classifier: Classifier): Classifier {
  mustBe('classifier', classifier, aFunction);
  return classifierOf((node) => {
    const verdict = classifier(node);
    if (verdict !== undefined) judgement(verdict);
    return verdict;
  });
}
