import type { EntityManager } from '@mikro-orm/postgresql';
import { formatUnits } from '../../domain/money.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { tokensOf } from './listed-tokens.sql.js';

/** Writes amounts of a chain's listed tokens for operators. */
export class TokenAmounts {
  private constructor(private readonly byContract: ReadonlyMap<string, RowOf<typeof tokensOf>>) {}

  /** Joins the caller's transaction. */
  static async read(em: EntityManager, chainRef: string): Promise<TokenAmounts> {
    const listed = await rows(em, tokensOf(chainRef));
    return new TokenAmounts(new Map(listed.map((token) => [token.contract, token])));
  }

  /** The keys of all contracts, and `NATIVE_COIN`. */
  get contracts(): readonly string[] {
    return [...new Set([NATIVE_COIN, ...this.byContract.keys()])];
  }

  /** Returns an amount of the coin with its symbol. */
  coins(units: bigint): string {
    return this.text(NATIVE_COIN, units);
  }

  /** Returns an amount with its symbol; in smallest units of the contract for a token that is not listed. */
  text(contract: string, units: bigint): string {
    const token = this.byContract.get(contract);
    return token === undefined
      ? `${units} units of ${contract}`
      : `${formatUnits(units, token.decimals)} ${token.symbol}`;
  }
}
