/**
 * What pg delivers for a property: text for bigint, numeric and timestamps, which JavaScript's numbers and dates would
 * round.
 */
type Delivered<Value> = Value extends null
  ? null
  : Value extends bigint | Date
    ? string
    : Value extends Uint8Array
      ? Buffer
      : Value extends { readonly __raw?: infer Raw }
        ? unknown extends Raw
          ? Value
          : NonNullable<Raw>
        : Value;

/** A row of these properties of an entity, as pg delivers it. */
export type Row<Entity, Property extends keyof Entity> = { readonly [P in Property]: Delivered<Entity[P]> };
