/**
 * The methods whose requests may be sent again, since a second one has no effect that the first did not have: GET, HEAD, OPTIONS, TRACE,
 * PUT and DELETE (RFC 9110 §9.2.2), and QUERY (draft-ietf-httpbis-safe-method-w-body).
 */
export const idempotentMethods: readonly string[] = /* @__PURE__ */ Object.freeze([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
  'QUERY',
]);
