const ID_END = 8;
const HASH_START = 10;
const HASH_END = 8;

/** The prefix and the end of an id: what is between is mostly its time, which has a column of its own. */
export function shortId(id: string): string {
  const start = id.indexOf('_') + 1;
  return id.length - start <= ID_END ? id : `${id.slice(0, start)}…${id.slice(-ID_END)}`;
}

/** The beginning and the end of a hash or an address, enough to compare. */
export const shortHash = (text: string): string =>
  text.length <= HASH_START + HASH_END + 2 ? text : `${text.slice(0, HASH_START)}…${text.slice(-HASH_END)}`;
