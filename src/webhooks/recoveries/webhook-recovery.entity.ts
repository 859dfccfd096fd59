import { defineEntity, p } from '@mikro-orm/core';

/** `stopped` when the endpoint was disabled or deleted before the end. */
export const RECOVERY_STATUSES = ['queued', 'completed', 'stopped'] as const;
export type RecoveryStatus = (typeof RECOVERY_STATUSES)[number];

/** The order of the walk. `pending` comes after `held`, because enabling an endpoint makes held deliveries pending. */
export const RECOVERED_STATUSES = ['held', 'pending', 'dead_letter'] as const;
export type RecoveredStatus = (typeof RECOVERED_STATUSES)[number];

const WebhookRecoverySchema = defineEntity({
  name: 'WebhookRecovery',
  tableName: 'webhook_recovery',
  properties: {
    id: p.text().primary(),
    endpointId: p.text(),
    since: p.datetime(3),
    status: p.text().$type<RecoveryStatus>(),
    reachedStatus: p.text().$type<RecoveredStatus>(),
    reachedAt: p.datetime(3),
    reachedId: p.text(),
    recovered: p.integer().default(0),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * A request to make due the deliveries that an endpoint has missed. A worker walks the deliveries status by status, by
 * `created_at` and id. `reachedStatus` is the current status; `reachedAt` and `reachedId` are those of the last delivery it
 * has handled.
 */
export class WebhookRecovery extends WebhookRecoverySchema.class {}
WebhookRecoverySchema.setClass(WebhookRecovery);
