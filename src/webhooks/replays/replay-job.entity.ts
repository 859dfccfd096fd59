import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../../domain/network.js';
import type { ReplayFilter } from './replay-filter.js';
import type { ReplayVerb } from './replay-verb.js';

/** `done` once nothing is left to send and nothing that was sent still waits. */
export const REPLAY_STATUSES = ['running', 'paused', 'stopped', 'done'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

const ReplayJobSchema = defineEntity({
  name: 'ReplayJob',
  tableName: 'replay_job',
  properties: {
    id: p.text().primary(),
    environment: p.text().$type<Environment>(),
    verb: p.text().$type<ReplayVerb>(),
    criteria: p.json().$type<ReplayFilter>(),
    /** A hash of verb and filter: only one job of a key is open at a time. */
    filterKey: p.text(),
    /** The member of staff, by e-mail address. */
    requestedBy: p.text(),
    reason: p.text().strictNullable(),
    status: p.text().$type<ReplayStatus>(),
    /** The upper bound: the job sends nothing that was created later. */
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

/** An order of staff to send deliveries again, which a worker carries out a few at a time. */
export class ReplayJob extends ReplayJobSchema.class {}
ReplayJobSchema.setClass(ReplayJob);
