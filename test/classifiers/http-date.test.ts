import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate } from '../../src/classifiers/http-date.js';

const now = Date.UTC(2026, 5, 1);

it.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT'],
  ['Sunday, 06-Nov-94 08:49:37 GMT'],
  ['Sun Nov  6 08:49:37 1994'],
  ['Sun Nov 06 08:49:37 1994'],
  ['Wed, 06 Nov 1994 08:49:37 GMT'],
  ['Wednesday, 06-Nov-94 08:49:37 GMT'],
  ['Wed Nov  6 08:49:37 1994'],
])('reads %j, whichever weekday it names', (text) => {
  expect(parseHttpDate(text, now)).toBe(784_111_777_000);
});

it.each([
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Wed, 31 Dec 1969 23:59:59 GMT', -1_000],
  ['Tue, 29 Feb 2000 00:00:00 GMT', 951_782_400_000],
  ['Sat, 31 Dec 2016 23:59:59 GMT', 1_483_228_799_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 253_402_300_799_000],
  ['Fri, 01 Jan 0100 00:00:00 GMT', -59_011_459_200_000],
])('reads %j', (text, at) => {
  expect(parseHttpDate(text, now)).toBe(at);
});

describe('a year of two digits', () => {
  it.each([
    ['2026-06-01', '26', 2026],
    ['2026-06-01', '00', 2000],
    ['2026-06-01', '75', 2075],
    ['2026-06-01', '76', 2076],
    ['2026-06-01', '77', 1977],
    ['2026-06-01', '99', 1999],
    ['2049-12-31', '00', 2000],
    ['2050-06-01', '00', 2100],
    ['2090-06-01', '05', 2105],
    ['2090-06-01', '41', 2041],
    ['1970-01-01', '94', 1994],
    ['1970-01-01', '21', 1921],
  ])('is, seen on %s, in %j the year %i', (today, year, full) => {
    expect(parseHttpDate(`Monday, 01-Jun-${year} 00:00:00 GMT`, Date.parse(today))).toBe(Date.UTC(full, 5, 1));
  });

  it('is told to be none where nobody knows the time, and four digits need no time', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NaN)).toBeNaN();
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', 9e15)).toBeNaN();
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', NaN)).toBe(784_111_777_000);
  });
});

it.each([
  ...['', 'GMT', '1994', '1994-11-06', '1994-11-06T08:49:37Z', '784111777', 'tomorrow', 'Sun, id Date', 'Invalid Date'],
  ...['Sun, 00 Nov 1994 08:49:37 GMT', 'Sun, 32 Oct 1994 08:49:37 GMT', 'Sun, 31 Nov 1994 08:49:37 GMT', 'Sun, 31 Feb 1994 08:49:37 GMT'],
  ...['Sun, 29 Feb 1900 08:49:37 GMT', 'Sun, 29 Feb 2023 08:49:37 GMT', 'Thu, 31-Feb-94 08:49:37 GMT', 'Thursday, 31-Feb-94 08:49:37 GMT'],
  ...['Sun Feb 31 08:49:37 1994', 'Sun Nov  0 08:49:37 1994', 'Sun Nov 31 08:49:37 1994', 'Sun Nov 6 08:49:37 1994'],
  ...['Sun Nov   6 08:49:37 1994', 'Sun Nov  06 08:49:37 1994', 'Sun Nov  6 08:49:37 94', 'Sun Nov  6 08:49:37 1994 GMT'],
  ...['Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 Nov 1994 25:00:00 GMT', 'Sun, 06 Nov 1994 08:60:00 GMT', 'Sun, 06 Nov 1994 08:49:60 GMT'],
  ...['Sunday, 06-Nov-94 24:00:00 GMT', 'Sun Nov  6 08:60:37 1994', 'Sun Nov  6 08:49:61 1994', 'Sun, 06 Nov 1994 8:49:37 GMT'],
  ...['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun,  6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 94 08:49:37 GMT', 'Sun, 06 Nov 0050 08:49:37 GMT'],
  ...['Sun, 06 Nov 11994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37', 'Sun, 06 Nov 1994 08:49 GMT', 'Sun, 06 Nov 1994 08:49:37 UTC'],
  ...[
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 06 Nov 1994 08:49:37 GMT+1',
    'Sun, 06 Nov 1994 08:49:37 gmt',
    'Sun, 06 nov 1994 08:49:37 GMT',
  ],
  ...[
    'Sun, 06-Nov-1994 08:49:37 GMT',
    'Sunday, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
  ],
  ...['06 Nov 1994 08:49:37 GMT', 'Sun 06 Nov 1994 08:49:37 GMT', 'Sun, 06  Nov 1994 08:49:37 GMT'],
  ...['Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 GMTx', 'Sun, 06 Nov 1994 08:49:37.5 GMT'],
  ...['Sun, 06-Nov-94 08:49:37 GMT', 'Sunday, 06 Nov-94 08:49:37 GMT', 'Sunday, 06-Nov 94 08:49:37 GMT', 'Sun Nov  6 08:49:37 11994'],
  ...['xSun, 06 Nov 1994 08:49:37 GMT', 'Sun, n, 06 Nov 1994 08:37 GMT'],
])('does not take %j for a date', (text) => {
  expect(parseHttpDate(text, now)).toBeNaN();
});

describe('any instant', () => {
  const short = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
  const long = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
  const years = (from: number, to: number) => fc.integer({ min: Date.UTC(from, 0) / 1_000, max: Date.UTC(to, 0) / 1_000 - 1 });
  const parts = (second: number) => {
    const [, day = '', month, year = '', time] = new Date(second * 1_000).toUTCString().split(' ');
    return { day, month, year, time, weekday: new Date(second * 1_000).getUTCDay() };
  };

  it('of the years 100 to 9999 comes back from an IMF-fixdate and from asctime', () => {
    fc.assert(
      fc.property(years(100, 10_000), (second) => {
        const { day, month, year, time, weekday } = parts(second);
        expect(parseHttpDate(`${short[weekday]}, ${day} ${month} ${year} ${time} GMT`, NaN)).toBe(second * 1_000);
        expect(parseHttpDate(`${short[weekday]} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`, NaN)).toBe(second * 1_000);
      }),
    );
  });

  it('of the 49 years before and after comes back from RFC 850', () => {
    fc.assert(
      fc.property(years(1_000, 9_900), fc.double({ min: -49, max: 49, noNaN: true }), (second, distance) => {
        const { day, month, year, time, weekday } = parts(second);
        const seen = (second + Math.round(distance * 31_556_952)) * 1_000;
        expect(parseHttpDate(`${long[weekday]}, ${day}-${month}-${year.slice(2)} ${time} GMT`, seen)).toBe(second * 1_000);
      }),
    );
  });
});
