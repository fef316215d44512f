import { expect, it } from 'vitest';
import { isUnsent } from '../../src/classifiers/unsent.js';
import { hostiles } from './hostile.js';

const deno = (fault: string) => ({ message: `error sending request for url (http://localhost/): client error ${fault}` });

it.each<[string, unknown]>([
  ['a refused connection', { code: 'ECONNREFUSED' }],
  ['a refused connection of Bun', { code: 'ConnectionRefused' }],
  ['an unknown name', { code: 'ENOTFOUND' }],
  ['no resolver', { code: 'EAI_AGAIN' }],
  ['a connection that undici waited for in vain', { code: 'UND_ERR_CONNECT_TIMEOUT' }],
  ['a timeout while connecting', { code: 'ETIMEDOUT', syscall: 'connect' }],
  ['a host out of reach', { code: 'EHOSTUNREACH', syscall: 'connect' }],
  ['a network out of reach', { code: 'ENETUNREACH', syscall: 'connect' }],
  ['any fault of the resolver', { code: 'EAI_FAIL', syscall: 'getaddrinfo' }],
  ['a fault of Deno while connecting', deno('(Connect): tcp connect error: Connection timed out (os error 110)')],
])('%s comes before the first byte', (_, node) => {
  expect(isUnsent(node)).toBe(true);
});

it.each<[string, unknown]>([
  ['a timeout', { code: 'ETIMEDOUT' }],
  ['a timeout while reading', { code: 'ETIMEDOUT', syscall: 'read' }],
  ['a host out of reach, later on', { code: 'EHOSTUNREACH', syscall: 'write' }],
  ['a network out of reach, nobody knows when', { code: 'ENETUNREACH' }],
  ['a reset', { code: 'ECONNRESET', syscall: 'read' }],
  ['a syscall that begins alike', { syscall: 'connectx' }],
  ['a syscall that ends alike', { syscall: 'reconnect' }],
  ['a broken pipe', { code: 'EPIPE', syscall: 'write' }],
  ['no headers in time', { code: 'UND_ERR_HEADERS_TIMEOUT' }],
  ['a closed socket', { code: 'UND_ERR_SOCKET' }],
  ['a fault of Deno while sending', deno('(SendRequest): connection closed before message completed')],
  ['a text that tells of it', { message: 'connect ECONNREFUSED 127.0.0.1:80' }],
  ['a text of somebody else', { message: 'client error: Connect' }],
  ['a certificate, which may not pass', { code: 'CERT_HAS_EXPIRED' }],
])('%s may come after it', (_, node) => {
  expect(isUnsent(node)).toBe(false);
});

it.each(hostiles())('%s says nothing of it', (_, thrown) => {
  expect(isUnsent(thrown)).toBe(false);
});
