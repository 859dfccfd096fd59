import { BigIntType, p, Type } from '@mikro-orm/core';

/** Token amounts in smallest units: `numeric(78,0)` in the database, `bigint` in the code. Holds a full uint256. */
export class UnitsType extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint): string {
    return value.toString();
  }

  override convertToJSValue(value: string): bigint {
    return BigInt(value);
  }

  override getColumnType(): string {
    return 'numeric(78,0)';
  }

  override compareAsType(): string {
    return 'bigint';
  }
}

class WholeNumberType extends BigIntType<'number'> {
  constructor() {
    super('number');
  }
}

/**
 * Fiat minor units and other integers that the API limits to 2^53-1: `bigint` in the database, `number` in the code, and
 * text in the rows of pg.
 */
export const wholeNumber = () => p.type(WholeNumberType).$type<number, string>();
