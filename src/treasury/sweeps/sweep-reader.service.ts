import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import type { ContractTrouble } from './sweep-contract.entity.js';

/** The sweeps of a chain in numbers. */
export interface SweepState {
  readonly chainRef: string;
  /** Planned and not final. */
  readonly open: number;
  /** Balances that failed repeatedly and are not tried before an operator retries them. */
  readonly setAside: number;
  /** Why sweeping is not possible on this chain; null when it is, or was never needed. */
  readonly trouble: ContractTrouble | null;
  /** Whether the hot wallet has reached its cap: then only sweeps for waiting withdrawals are signed. */
  readonly isFull: boolean;
}

/** Reads the state of sweeps, by the database alone: no node is called. */
@Injectable()
export class SweepReader {
  constructor(
    private readonly database: Database,
    private readonly cap: HotWalletCap,
  ) {}

  /** Returns the state of every active chain with a hot wallet. */
  async all(): Promise<readonly SweepState[]> {
    const rows = await this.database.query<{
      chain_ref: string;
      open: number;
      set_aside: number;
      trouble: ContractTrouble | null;
    }>(
      `select wallet.chain_ref,
              (select count(*)::int from sweep where chain_ref = wallet.chain_ref and finished_at is null) as open,
              (select count(*)::int from deposit_balance
                where chain_ref = wallet.chain_ref and set_aside_reason is not null) as set_aside,
              (select min(trouble) from sweep_contract
                where chain_ref = wallet.chain_ref and ready_at is null and abandoned_at is null) as trouble
         from hot_wallet wallet join chain on chain.id = wallet.chain_ref and chain.active order by wallet.chain_ref`,
    );
    return Promise.all(
      rows.map(async ({ chain_ref: chainRef, open, set_aside: setAside, trouble }) => {
        const room = await this.cap.room(this.database.em(), chainRef);
        return { chainRef, open, setAside, trouble, isFull: room !== null && room <= 0n };
      }),
    );
  }
}
