import { textOf } from './facts.js';

/** Codes of failures that pass and come only before the first byte of a request. `ConnectionRefused`: Bun before 1.3. */
export const connectCodes = ['ECONNREFUSED', 'ConnectionRefused', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Whether an error of a socket says that there was no connection yet: nothing can have been sent then. */
export const isUnsent = (node: unknown): boolean =>
  [...connectCodes, 'ENOTFOUND'].includes(textOf(node, 'code')) ||
  /^(connect|getaddrinfo)$/.test(textOf(node, 'syscall')) || // timeouts and unreachable hosts are the same later on, but for the syscall
  /\bclient error \(Connect\)/.test(textOf(node, 'message')); // Deno
