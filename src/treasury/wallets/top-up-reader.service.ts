import { Injectable } from '@nestjs/common';
import { invalidParam } from '../../domain/errors.js';
import type { Environment, Network } from '../../domain/network.js';
import { formatUnits } from '../../domain/money.js';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { TopUp } from './top-up.entity.js';
import { topUpPage } from './top-up-list.sql.js';

/** Funds that an operator sent to a hot wallet. */
export interface TopUpView extends Pick<RowOf<typeof topUpPage>, 'id' | 'environment' | 'network'> {
  /** ISO 8601. */
  readonly foundAt: string;
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
  async page(page: TopUpPage): Promise<readonly TopUpView[]> {
    if (page.after !== null) await this.expectKnown(page.after);
    const rows = await this.database.rows(topUpPage(page));
    return rows.map((row) => ({
      id: row.id,
      foundAt: new Date(row.foundAt).toISOString(),
      environment: row.environment,
      network: row.network,
      token: row.symbol,
      amountDecimal: formatUnits(BigInt(row.amount), row.decimals),
      fromBlock: Number(row.fromHeight),
      toBlock: Number(row.toHeight),
    }));
  }

  private async expectKnown(id: string): Promise<void> {
    if ((await this.database.em().count(TopUp, { id })) === 0) throw invalidParam('after', `There is no top-up ${id}.`);
  }
}
