import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../domain/delivery-status.js';
import { EVENT_TYPES } from '../../domain/event-type.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../../http/request-schema.js';
import { RESPONSE_CLASSES } from '../../webhooks/overview/delivery-filter.js';
import { REPLAY_STATUSES } from '../../webhooks/replays/replay-job.entity.js';
import { TARGET_STATUSES } from '../../webhooks/replays/replay-target.entity.js';
import { REPLAY_VERBS } from '../../webhooks/replays/replay-verb.js';
import { REPLAY_WARNINGS } from '../../webhooks/replays/replay-warnings.js';
import { id, timestamp } from './deliveries.schema.js';

/** The most deliveries of one selection. */
const SELECTED_MAX = 500;

const time = z.iso.datetime().optional();
const REPLAY = {
  verb: z.enum(REPLAY_VERBS).meta({
    description:
      '`resend` sends what matches, also what was delivered; `recover` what is dead-lettered or waits; `send_missing` events ' +
      'that the endpoint has no delivery of.',
  }),
  delivery_ids: z.array(id).min(1).max(SELECTED_MAX).optional().meta({ description: 'A selection; else the filter.' }),
  status: z.enum(DELIVERY_STATUSES).optional(),
  merchant_id: id.optional(),
  endpoint_id: id.optional(),
  event_id: id.optional(),
  event_type: z.enum(EVENT_TYPES).optional(),
  response: z.enum(RESPONSE_CLASSES).optional(),
  created_gte: time,
  created_lt: time,
};
export const previewReplayBody = bodyOf(REPLAY).meta({ id: 'PreviewReplay' });
export type PreviewReplayBody = z.infer<typeof previewReplayBody>;
export const createReplayBody = bodyOf({
  ...REPLAY,
  reason: safeText({ min: 1, max: 500 }).optional().meta({ description: 'Why, for the audit log.' }),
}).meta({ id: 'CreateReplay' });
export type CreateReplayBody = z.infer<typeof createReplayBody>;

export const replayPreviewSchema = z
  .object({
    object: z.literal('replay_preview'),
    sendable: z.int().meta({ description: 'Deliveries that will be sent.' }),
    blocked: z.int().meta({ description: 'Deliveries to disabled endpoints, which are not sent.' }),
    count_is_more: z.boolean().meta({ description: 'Whether counting stopped, so that there may be more.' }),
    warnings: z.array(z.enum(REPLAY_WARNINGS)),
    endpoints: z.array(
      z.object({
        id: z.string(),
        url: z.string(),
        merchant_id: z.string(),
        merchant_name: z.string(),
        enabled: z.boolean(),
        count: z.int(),
        cause: z.string().nullable().meta({ description: 'The most frequent cause; null when none failed.' }),
        probably_wrong_secret: z.boolean().meta({ description: 'Whether that cause suggests it: send a test first.' }),
      }),
    ),
  })
  .meta({ id: 'ReplayPreview' });
export type ReplayPreviewObject = z.infer<typeof replayPreviewSchema>;

const jobFields = {
  id: z.string(),
  object: z.literal('replay_job'),
  verb: z.enum(REPLAY_VERBS),
  title: z.string().meta({ description: 'Verb and filter as a sentence. Times are in UTC.' }),
  status: z
    .enum(REPLAY_STATUSES)
    .meta({ description: '`done` once all is sent and nothing that was sent still waits.' }),
  filter: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  requested_by: z.string(),
  reason: z.string().nullable(),
  endpoints: z.int(),
  sent: z.int(),
  delivered: z.int(),
  failed_again: z.int(),
  waiting: z.int().meta({ description: 'Sent, and not acknowledged yet.' }),
  skipped: z.int().meta({ description: 'On their way already, or sent by somebody else meanwhile.' }),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
};
const replayJobSchema = z.object(jobFields).meta({ id: 'ReplayJob' });
export type ReplayJobObject = z.infer<typeof replayJobSchema>;
export const replayJobListSchema = listPageSchema(replayJobSchema, 'ReplayJobList');
export const replayJobDetailSchema = z
  .object({
    ...jobFields,
    targets: z.array(
      z.object({
        endpoint_id: z.string(),
        endpoint_url: z.string(),
        merchant_id: z.string(),
        status: z.enum(TARGET_STATUSES),
        sent: z.int(),
        delivered: z.int(),
        failed_again: z.int(),
        waiting: z.int(),
        skipped: z.int(),
      }),
    ),
  })
  .meta({ id: 'ReplayJobDetail' });
export type ReplayJobDetail = z.infer<typeof replayJobDetailSchema>;
export const begunReplaySchema = z
  .object({
    object: z.literal('begun_replay'),
    replay_job_id: z.string(),
    already_running: z.boolean().meta({ description: 'Whether the same job was running, so that none was begun.' }),
  })
  .meta({ id: 'BegunReplay' });
export type BegunReplay = z.infer<typeof begunReplaySchema>;
export const listReplayJobsQuery = queryOf(LIST_QUERY);
export type ListReplayJobsQuery = z.infer<typeof listReplayJobsQuery>;
