import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import type { ContractTrouble } from './sweep-contract.entity.js';

/** How the sweeps of a chain stand. */
export interface SweepState {
  readonly chainRef: string;
  /** Planned, and not final yet. */
  readonly open: number;
  /** Balances that brought nothing again and again: nobody tries them before staff have looked. */
  readonly setAside: number;
  /** Why nothing can be swept on this chain at all; null when it can, or nothing ever was to be. */
  readonly trouble: ContractTrouble | null;
  /** Whether the hot wallet holds as much as it may: only withdrawals that wait have more swept to it. */
  readonly isFull: boolean;
}

/** Reads how sweeps stand, by the database alone: no node is asked. */
@Injectable()
export class SweepReader {
  constructor(
    private readonly database: Database,
    private readonly cap: HotWalletCap,
  ) {}

  /** Of every active chain with a hot wallet. */
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
