// `toLocaleString` would make a formatter at each call.
const WHOLE = new Intl.NumberFormat('en');

/** A whole number with groups of thousands: `1,234`. */
export const wholeText = (value: number): string => WHOLE.format(value);

/** `1,234`, or `10,000+` when counting has stopped. */
export const countText = (count: number, isMore: boolean): string => `${wholeText(count)}${isMore ? '+' : ''}`;
