import { defineEntity, p } from '@mikro-orm/core';

/** `disabled` and `deleted` say what happened to the endpoint before the job had reached its end. */
export const TARGET_STATUSES = ['open', 'done', 'disabled', 'deleted'] as const;
export type TargetStatus = (typeof TARGET_STATUSES)[number];

const ReplayTargetSchema = defineEntity({
  name: 'ReplayTarget',
  tableName: 'replay_target',
  properties: {
    jobId: p.text().primary(),
    endpointId: p.text().primary(),
    status: p.text().$type<TargetStatus>(),
    reachedStep: p.integer().default(0),
    reachedAt: p.datetime(3),
    reachedId: p.text().default(''),
    sent: p.integer().default(0),
    skipped: p.integer().default(0),
  },
});

/**
 * How far a replay job has come at one endpoint. The worker walks one delivery status after the other, by `created_at` and
 * id: `reachedStep` counts the statuses, `reachedAt` and `reachedId` are those of the last delivery that it has handled.
 */
export class ReplayTarget extends ReplayTargetSchema.class {}
ReplayTargetSchema.setClass(ReplayTarget);
