import type { Json } from './json.js';
import { Output } from './sql.js';

const typed =
  <Value>() =>
  <Name extends string>(name: Name): Output<{ readonly [N in Name]: Value }> =>
    new Output([`as "${name}"`]);

/**
 * Names a computed column of the result, with the type that pg delivers: `` exists (...) ${as.boolean('isHeld')} ``. Use
 * `column.as(name)` for a column of a table.
 */
export const as = {
  text: typed<string>(),
  /** A text that is one of a few: `` case ... end ${as.textOf<Standing>()('standing')} ``. */
  textOf: <Value extends string>() => typed<Value>(),
  textOfOrNull: <Value extends string>() => typed<Value | null>(),
  texts: typed<readonly string[]>(),
  textOrNull: typed<string | null>(),
  boolean: typed<boolean>(),
  booleanOrNull: typed<boolean | null>(),
  int: typed<number>(),
  intOrNull: typed<number | null>(),
  double: typed<number>(),
  doubleOrNull: typed<number | null>(),
  /** bigint, numeric and count(*). */
  digits: typed<string>(),
  digitsOrNull: typed<string | null>(),
  bytesOrNull: typed<Buffer | null>(),
  time: typed<string>(),
  timeOrNull: typed<string | null>(),
  /** JSON of a scalar subselect: `` (${orderOf}) ${as.json<RowOf<typeof orderOf>['order'] | null>()('order')} ``. */
  json: <Value>() => typed<Value>(),
  /** JSON that the statement builds: `` ${list} ${as.jsonOf(list)('deposits')} ``. */
  jsonOf: <Value>(_built: Json<Value>) => typed<Value>(),
  jsonOfOrNull: <Value>(_built: Json<Value>) => typed<Value | null>(),
};
