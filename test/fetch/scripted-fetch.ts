/** An answer that shows whether its body was let go of. */
export interface Answer {
  readonly response: Response;
  readonly isCancelled: boolean;
}

interface AnswerOptions {
  readonly headers?: HeadersInit;
  /** `null`: it has no body; `undefined`: its body stays silent. */
  readonly text?: string | null | undefined;
  /** Where it comes from. */
  readonly url?: string;
  readonly onCancel?: () => void;
}

export function answer(status: number, options: AnswerOptions = {}): Answer {
  const { headers = {}, url, onCancel } = options;
  const text = 'text' in options ? options.text : `answered ${status}`;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (typeof text !== 'string') return;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
      cancel() {
        isCancelled = true;
        onCancel?.();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(text === null ? null : body, { status, headers });
  if (url !== undefined) Object.defineProperty(response, 'url', { value: url });
  return {
    response,
    get isCancelled() {
      return isCancelled;
    },
  };
}

/** What a `fetch` was asked for. */
export interface Asked {
  readonly input: Parameters<typeof fetch>[0];
  readonly init: RequestInit | undefined;
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: RequestRedirect;
  /** The very one that it was given. */
  readonly signal: AbortSignal | undefined;
  /** All of its body, as it would go over the line; null if there is none. */
  readonly bytes: Promise<Uint8Array | null>;
}

/** A status, an answer, what it rejects with, or what it does. */
export type Step = number | Answer | { readonly error: unknown } | ((asked: Asked) => Response | Promise<Response>);

export interface ScriptedFetch {
  (...given: Parameters<typeof fetch>): Promise<Response>;
  readonly asked: Asked[];
  /** The answers that it made of statuses. */
  readonly answers: Answer[];
}

/** A `fetch` that takes one step for each request, and the last one again and again. */
export function scriptedFetch(...steps: readonly Step[]): ScriptedFetch {
  const asked: Asked[] = [];
  const answers: Answer[] = [];
  const scripted = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const one = read(input, init);
    const step = steps[Math.min(asked.length, steps.length - 1)] ?? 200;
    asked.push(one);
    await one.bytes;
    if (typeof step === 'function') return step(one);
    if (typeof step === 'object' && 'error' in step) throw step.error;
    const answered = typeof step === 'number' ? answer(step, hasNoBody(step) ? { text: null } : {}) : step;
    answers.push(answered);
    return answered.response;
  };
  return Object.assign(scripted, { asked, answers });
}

/** Never settles, whatever its signal says. */
export const hangs = (): Promise<never> => new Promise(() => {});

/** Settles only when its signal aborts, and as it does. */
export const followsItsSignal = ({ signal }: Asked): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

const hasNoBody = (status: number) => [204, 205, 304].includes(status);

function read(input: Asked['input'], init: RequestInit | undefined): Asked {
  // The signal is left out, since a Request would put its own listener on it; so is TRACE, which no Request takes.
  const changes = init?.method === 'TRACE' ? { signal: null, method: 'OPTIONS' } : { signal: null };
  const request = new Request(input, { ...init, ...changes });
  const signal = (init?.signal === undefined ? (input as Partial<Request>).signal : init.signal) ?? undefined;
  const { url, headers, redirect } = request;
  const bytes = request.body === null ? Promise.resolve(null) : request.arrayBuffer().then((buffer) => new Uint8Array(buffer));
  bytes.catch(() => {});
  return { input, init, url, headers, redirect, signal, bytes, method: init?.method ?? request.method };
}

export const textOf = async ({ bytes }: Asked): Promise<string | null> => {
  const all = await bytes;
  return all && new TextDecoder().decode(all);
};

/** Headers by their names, in lower case. */
export function headersOf(one: Asked | undefined): Record<string, string> {
  const all: Record<string, string> = {};
  one?.headers.forEach((value, name) => {
    all[name] = value;
  });
  return all;
}
