import type { EntityManager } from '@mikro-orm/postgresql';
import { rows } from '../../platform/database/database.js';
import { decimalsOfTokens } from './expiring-payments.sql.js';

/** The decimals of a chain's tokens and of its coin. */
export class TokenDecimals {
  private constructor(private readonly byToken: ReadonlyMap<string, number>) {}

  /** Joins the caller's transaction. */
  static async read(em: EntityManager, chainRef: string): Promise<TokenDecimals> {
    const tokens = await rows(em, decimalsOfTokens(chainRef));
    return new TokenDecimals(new Map(tokens.map(({ contract, decimals }) => [contract, decimals])));
  }

  /** Returns the decimals of a token (contract, or `NATIVE_COIN`). Throws for one that the chain does not list. */
  of(token: string): number {
    const decimals = this.byToken.get(token);
    if (decimals === undefined) throw new Error(`The chain lists no token ${token}.`);
    return decimals;
  }
}
