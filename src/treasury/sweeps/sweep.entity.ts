import { defineEntity, p } from '@mikro-orm/core';
import type { SweepWaitingReason } from './sweep-waiting.js';

/** Why it was planned: its cost is a small share of its value, or a withdrawal waits for the funds. */
export type SweepReason = 'threshold' | 'withdrawal';

const SweepSchema = defineEntity({
  name: 'Sweep',
  tableName: 'sweep',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    reason: p.text().$type<SweepReason>(),
    delegate: p.text().strictNullable(),
    batch: p.text().strictNullable(),
    waitingReason: p.text().$type<SweepWaitingReason>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    signedAt: p.datetime(3).strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * One transaction that moves the balances of deposit addresses to the hot wallet of their chain. `delegate` and `batch` are
 * its contracts; null on chains whose transactions expire, where a transaction moves funds of several addresses itself.
 */
export class Sweep extends SweepSchema.class {}
SweepSchema.setClass(Sweep);
