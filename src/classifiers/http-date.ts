/**
 * An HTTP date as epoch milliseconds: IMF-fixdate, RFC 850 or asctime (RFC 9110 §5.6.7). NaN if it is none of them, or a day or time that
 * does not exist; what it calls the weekday does not matter. Years before 100 are not known.
 *
 * @param now  epoch milliseconds; a year of two digits is the latest that is at most 50 after this one
 */
export function parseHttpDate(text: string, now: number): number {
  const latest = new Date(now).getUTCFullYear() + 50;
  const fixdate = text
    .replace(/^(\w{3} \w{3}) {2}/, '$1 0')
    .replace(/^(\w{3}) (\w{3}) (\d\d) (\S+) (\d+)$/, '$1, $3 $2 $5 $4 GMT')
    .replace(
      /^\w{3}[a-z]*day, (\d\d)-(\w{3})-(\d\d) /,
      (_, day, month, year) => `Sun, ${day} ${month} ${latest - ((latest - year) % 100)} `,
    );
  const [, instant = ''] = /^\w{3}, (.{20}) GMT$/.exec(fixdate) ?? [];
  // The layout of toUTCString, which every platform reads. What comes back other than it went in (31 Feb as 3 Mar) does not exist.
  const at = Date.parse(`Sun, ${instant} GMT`);
  return new Date(at).toUTCString().startsWith(instant, 5) ? at : NaN;
}
