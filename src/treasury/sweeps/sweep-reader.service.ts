import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { findSweepStates } from './sweep-operations.sql.js';

/** The sweeps of a chain in numbers. */
export interface SweepState extends RowOf<typeof findSweepStates> {
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
    const states = await this.database.rows(findSweepStates);
    return Promise.all(
      states.map(async (state) => {
        const room = await this.cap.room(this.database.em(), state.chainRef);
        return { ...state, isFull: room !== null && room <= 0n };
      }),
    );
  }
}
