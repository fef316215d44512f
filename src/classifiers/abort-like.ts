import { textOf } from './facts.js';

const codes = /^(ABORT_ERR|(UND_)?ERR_ABORTED|ERR_CANCELED)$/;

/**
 * Whether somebody wanted the work to end: an abort is no failure that passes. By name in platforms and most clients, by code in Node,
 * undici, got and axios, by its text in clients that give nothing else (OpenAI's and Anthropic's).
 */
export const isAbortLike = (node: unknown): boolean =>
  textOf(node, 'name') === 'AbortError' || codes.test(textOf(node, 'code')) || /^request was aborted\.?$/i.test(textOf(node, 'message'));
