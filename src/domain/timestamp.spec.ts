import * as fc from 'fast-check';
import { parseTimestamp } from './timestamp.js';

describe('parseTimestamp', () => {
  it.each([
    ['2026-11-21T10:20:30Z', '2026-11-21T10:20:30.000Z'],
    ['2026-11-21T10:20:30.5Z', '2026-11-21T10:20:30.500Z'],
    ['2026-11-21T10:20:30.123Z', '2026-11-21T10:20:30.123Z'],
    ['2026-11-21T10:20:30.123000Z', '2026-11-21T10:20:30.123Z'],
    ['2026-11-21T10:20:30+02:00', '2026-11-21T08:20:30.000Z'],
    ['2026-11-21T10:20:30 02:00', '2026-11-21T08:20:30.000Z'],
    ['2026-11-21T10:20:30-05:30', '2026-11-21T15:50:30.000Z'],
    ['2026-11-21T10:20:30-00:00', '2026-11-21T10:20:30.000Z'],
    ['2026-11-21T10:20:30+14:00', '2026-11-20T20:20:30.000Z'],
    ['2026-11-21T10:20:30-14:00', '2026-11-22T00:20:30.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('[A-13] reads %s as %s', (text, expected) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(expected);
  });

  it.each([
    ['2026-11-21T10:20:30.1230001Z', '2026-11-21T10:20:30.124Z'],
    ['2026-11-21T23:59:59.999000001Z', '2026-11-22T00:00:00.000Z'],
  ])('[A-13] rounds %s up to %s, so that both bounds stay exact over whole milliseconds', (text, expected) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(expected);
  });

  it.each([
    ['', 'nothing'],
    ['yesterday', 'a word'],
    ['1763720430', 'a number'],
    ['2026-11-21T10:20:30', 'no zone'],
    ['2026-11-21T10:20Z', 'no seconds'],
    ['2026-11-21 10:20:30Z', 'a space for the T'],
    ['2026-11-21t10:20:30z', 'small letters'],
    ['2026-11-21Z', 'a date with a zone'],
    ['2026-11', 'a month'],
    ['2026-13-01', 'month 13'],
    ['2026-00-10', 'month 0'],
    ['2026-01-00', 'day 0'],
    ['2026-02-30', '30 February'],
    ['2025-02-29', '29 February of a common year'],
    ['1900-02-29', '29 February of a century'],
    ['2026-04-31', '31 April'],
    ['2026-12-31T23:59:60Z', 'a leap second'],
    ['2026-11-21T24:00:00Z', 'hour 24'],
    ['2026-11-21T10:60:00Z', 'minute 60'],
    ['2026-11-21T10:20:30+14:01', 'an offset beyond 14 hours'],
    ['2026-11-21T10:20:30-14:01', 'an offset beyond 14 hours'],
    ['2026-11-21T10:20:30+13:60', 'an offset with 60 minutes'],
    ['2026-11-21T10:20:30+0200', 'an offset without a colon'],
    ['2026-11-21T10:20:30+02', 'an offset without minutes'],
    ['2026-11-21T10:20:30  02:00', 'two spaces'],
    ['2026-11-21T10:20:30.Z', 'an empty fraction'],
    ['2026-11-21T10:20:30.1234567890Z', 'more than nanoseconds'],
    ['2026-11-21T10:20:30,5Z', 'a comma'],
    ['12026-11-21', 'a year above 9999'],
    ['+012026-11-21T00:00:00Z', 'a year above 9999'],
    ['9999-12-31T23:00:00-02:00', 'a year above 9999 in UTC'],
    ['9999-12-31T23:59:59.9999Z', 'a year above 9999 when rounded'],
    ['0000-12-31', 'year 0'],
    ['0001-01-01T00:00:00+01:00', 'year 0 in UTC'],
    [' 2026-11-21', 'a space before'],
    ['2026-11-21\n', 'a line break after'],
    ['２０２６-11-21', 'digits that are not ASCII'],
  ])('[A-13] refuses %j: %s', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });

  it('[A-13] reads back every timestamp that we emit', () => {
    const years = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(parseTimestamp(date.toISOString())).toEqual(date);
      }),
    );
  });

  it('[A-13] answers any text with a date or null', () => {
    const nearly = fc.stringMatching(
      /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}([+ -][0-9]{2}:[0-9]{2}|Z))?$/,
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (text) => {
        const date = parseTimestamp(text);
        expect(date === null || !Number.isNaN(date.getTime())).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
