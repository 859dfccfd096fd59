import { Injectable } from '@nestjs/common';
import { invalidParam } from '../../domain/errors.js';
import type { Environment, Network } from '../../domain/network.js';
import { formatUnits } from '../../domain/money.js';
import { Database } from '../../platform/database/database.js';

/** Funds that an operator sent to a hot wallet. */
export interface TopUpView {
  readonly id: string;
  /** ISO 8601. */
  readonly foundAt: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly token: string;
  readonly amountDecimal: string;
  /** The last block before they arrived; -1 is before the first block. */
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** A page of top-ups; null means any. */
export interface TopUpPage {
  readonly environment: Environment | null;
  readonly network: Network | null;
  readonly limit: number;
  /** The last id of the previous page. */
  readonly after: string | null;
}

/** Reads top-ups of the hot wallets, for operators. */
@Injectable()
export class TopUpReader {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit` top-ups, newest first. @throws DomainError invalid_request when `after` is no top-up */
  async page({ environment, network, limit, after }: TopUpPage): Promise<readonly TopUpView[]> {
    if (after !== null) await this.expectKnown(after);
    const rows = await this.database.query<{
      id: string;
      found_at: Date;
      environment: Environment;
      network: Network;
      symbol: string;
      decimals: number;
      amount: string;
      from_height: string;
      to_height: string;
    }>(
      `select top_up.id, top_up.found_at, chain.environment, chain.network, token.symbol, token.decimals, top_up.amount,
              top_up.from_height, top_up.to_height
         from top_up join chain on chain.id = top_up.chain_ref
         join chain_token token on token.chain_ref = top_up.chain_ref and token.contract = top_up.token_contract
        where ($1::text is null or chain.environment = $1) and ($2::text is null or chain.network = $2)
          and ($3::text is null or top_up.id < $3)
        order by top_up.id desc limit $4`,
      [environment, network, after, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      foundAt: new Date(row.found_at).toISOString(),
      environment: row.environment,
      network: row.network,
      token: row.symbol,
      amountDecimal: formatUnits(BigInt(row.amount), row.decimals),
      fromBlock: Number(row.from_height),
      toBlock: Number(row.to_height),
    }));
  }

  private async expectKnown(id: string): Promise<void> {
    const found = await this.database.query(`select from top_up where id = $1`, [id]);
    if (found.length === 0) throw invalidParam('after', `There is no top-up ${id}.`);
  }
}
