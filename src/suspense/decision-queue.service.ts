import { Injectable } from '@nestjs/common';
import type { Environment, Network } from '../domain/network.js';
import type { DepositHolding } from '../payments/deposits/deposit.entity.js';
import { Database, row } from '../platform/database/database.js';
import type { DecisionKind, ListDecisionsQuery } from './decision-queue.schema.js';
import { countHeld, countQuarantined, countReorgedIn, merchantNames, quarantinedPage } from './decision-queue.sql.js';
import { DepositReversals } from './deposit-reversals.service.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';

/** Something that waits for a decision of staff. */
export interface Decision {
  /** Of the deposit, or of the intent. */
  readonly id: string;
  readonly kind: DecisionKind;
  /** ISO 8601. */
  readonly since: string;
  readonly depositId: string | null;
  readonly intentId: string | null;
  readonly merchantId: string | null;
  readonly merchantName: string | null;
  readonly network: Network;
  readonly token: string;
  /** Whole tokens; null for an intent. */
  readonly amountDecimal: string | null;
  /** Why it waits, in words. */
  readonly sentence: string;
}

type Found = Omit<Decision, 'kind' | 'merchantName'>;

const HOLDING = {
  unattributed: 'suspense',
  on_hold: 'frozen',
  kept: 'kept',
  refunding: 'returning',
} as const satisfies Partial<Record<DecisionKind, DepositHolding>>;

const isHeld = (kind: DecisionKind): kind is keyof typeof HOLDING => kind in HOLDING;

/** Reads what waits for a decision of staff in one environment, over all merchants. */
@Injectable()
export class DecisionQueue {
  constructor(
    private readonly database: Database,
    private readonly held: DepositsWithoutPocket,
    private readonly reversals: DepositReversals,
  ) {}

  /** Returns up to `limit + 1` things of one kind, the oldest first. */
  async page(
    environment: Environment,
    { kind, limit, starting_after: after = '' }: ListDecisionsQuery,
  ): Promise<readonly Decision[]> {
    const found = await this.found(environment, kind, after, limit + 1);
    const ids = found.flatMap(({ merchantId }) => (merchantId === null ? [] : [merchantId]));
    const merchants = await this.database.rows(merchantNames([...new Set(ids)]));
    const names = new Map(merchants.map(({ id, name }) => [id, name]));
    return found.map((one) => ({ ...one, kind, merchantName: names.get(one.merchantId ?? '') ?? null }));
  }

  /** Returns how many there are of each kind. */
  async counts(environment: Environment): Promise<Readonly<Record<DecisionKind, number>>> {
    const em = this.database.em();
    const held = await this.database.rows(countHeld(environment));
    const ofHolding = (kind: keyof typeof HOLDING): number =>
      held.find(({ heldAs }) => heldAs === HOLDING[kind])?.count ?? 0;
    return {
      unattributed: ofHolding('unattributed'),
      on_hold: ofHolding('on_hold'),
      reorged: (await row(em, countReorgedIn(environment))).count,
      quarantined: (await row(em, countQuarantined(environment))).count,
      kept: ofHolding('kept'),
      refunding: ofHolding('refunding'),
    };
  }

  private async found(
    environment: Environment,
    kind: DecisionKind,
    after: string,
    limit: number,
  ): Promise<readonly Found[]> {
    if (isHeld(kind)) {
      const page = await this.held.page({ holdings: [HOLDING[kind]], environment, limit, after });
      return page.map(({ bookedAt, explanation, ...deposit }) => ({
        ...deposit,
        depositId: deposit.id,
        since: bookedAt,
        sentence: explanation,
      }));
    }
    if (kind === 'reorged') {
      const page = await this.reversals.pending(limit, { environment, after });
      return page.map((deposit) => ({
        ...deposit,
        depositId: deposit.id,
        sentence: deposit.isBack
          ? 'reversed, and on the chain again: restore it in a shell'
          : 'removed by a reorg after it was final: reverse it in a shell',
      }));
    }
    const page = await this.database.rows(quarantinedPage(environment, after, limit));
    return page.map(({ error, since, ...intent }) => ({
      ...intent,
      depositId: null,
      intentId: intent.id,
      since: new Date(since).toISOString(),
      amountDecimal: null,
      sentence: `its settlement failed five times: ${error ?? 'unknown'}`,
    }));
  }
}
