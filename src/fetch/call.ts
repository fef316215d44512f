import { onAbort } from '../abort.js';
import type { AttemptContext } from '../attempt.js';
import { rememberAttempts } from '../classifiers/attempts.js';
import type { Decision } from '../decision.js';
import { AttemptTimeout } from '../failure.js';
import { brand, PERMANENT } from '../mark.js';
import type { DeadLettered } from '../outcome.js';
import { runWithRetry } from '../run-with-retry.js';
import { cancelBody, quietly } from './cancel-body.js';
import { keepForBody, type Link, link } from './link.js';
import type { Settings } from './options.js';
import type { Outgoing } from './request.js';

/** Runs a call: answers and throws as `fetch` does. */
export async function call(request: Outgoing, { policy, run, clock, onDiscard }: Settings): Promise<Response> {
  /** How long an answer that is let go of may be read: a server that has fallen silent must not hold the call up. */
  const limitMs = policy.attemptTimeoutMs ?? policy.totalBudgetMs;
  /** What ends it from outside: its own signal, and that of all calls. */
  const callers = [request.signal, run.signal].filter((signal) => !!signal);
  const both = callers.length > 1 ? link(callers) : undefined;
  /** The last answer, and the link that its body hangs on; it is to be let go of while it is held. */
  let answer = undefined as Response | undefined;
  let answerLink = undefined as Link | undefined;
  let isHeld = false as boolean;
  let stopReading: (() => void) | undefined;
  /** What cut an attempt off: a limit, or a caller. */
  let cutBy: unknown;
  let isOver = false;

  const discard = () => {
    if (isHeld) letGo(answer as Response, answerLink);
    isHeld = false;
    stopReading?.();
  };

  const attempt = async (context: AttemptContext): Promise<Response> => {
    const linked = both || context.remainingMs < Infinity ? link(callers) : undefined;
    let isLate = false;
    const stop =
      linked &&
      onAbort(context.signal, () => {
        isLate = true;
        cutBy = context.signal.reason;
        linked.abort(cutBy);
        linked.release();
      });
    try {
      const response = await request.send(context, linked?.signal ?? callers[0]);
      if (isLate || isOver) {
        letGo(response, linked);
      } else {
        answer = response;
        answerLink = linked;
        isHeld = true;
      }
      return response;
    } catch (error) {
      linked?.release();
      // As far as this call is concerned, none: a mock may reject with one error for ever.
      if (!isOver) rememberAttempts(error);
      throw error;
    } finally {
      stop?.();
    }
  };

  /** An answer that a retry replaces may be read by those who are told of it, before its body is let go of; that cannot fail the call. */
  const onDecision = async (decision: Decision): Promise<void> => {
    if (decision.action !== 'retry') {
      isOver = true;
      return run.onDecision?.(decision);
    }
    try {
      if (isHeld && decision.error === answer && onDiscard) {
        stopReading = limitMs === undefined ? undefined : clock().schedule(limitMs, () => answerLink?.abort());
        await quietly(() => onDiscard(decision.error as Response, decision));
      }
      if (!isOver) await run.onDecision?.(decision);
    } finally {
      discard();
    }
  };

  try {
    const result = await runWithRetry(attempt, policy, { ...run, signal: both?.signal ?? callers[0], onDecision });
    let end = result.ok ? result.value : result.error;
    if (answer !== undefined && end === answer) {
      if (isHeld) {
        isHeld = false;
        if (answerLink !== undefined) keepForBody(answer, answerLink, request.requests);
        rememberAttempts(answer, result.log);
        rememberAttempts(answer.headers, result.log); // which some clients keep of it, and nothing else
        return answer;
      }
      // It was let go of before the wait, in which the time ran out.
      cutBy = end = new AttemptTimeout('budget', policy.totalBudgetMs as number, { cause: end });
    }
    // The call's own limits have made it; an outer run must not multiply the attempts.
    if (end !== undefined && end === cutBy && (result as DeadLettered).reason !== 'aborted') brand(end as AttemptTimeout, PERMANENT);
    rememberAttempts(end, result.log);
    throw end;
  } finally {
    isOver = true;
    discard();
    both?.release();
    request.release();
  }
}

function letGo(response: Response, linked: Link | undefined): void {
  cancelBody(response);
  linked?.release();
}
