import type { PreviewedEndpoint, ReplayPreview } from '../../webhooks/replays/replay-preview.service.js';
import type { ReplayFilter } from '../../webhooks/replays/replay-filter.js';
import type { ShownJob, ShownTarget } from '../../webhooks/replays/replay-jobs.service.js';
import { COUNTED_MAX } from '../../webhooks/overview/delivery-overview.service.js';
import { presentCause } from './delivery.presenter.js';
import { replayTitle } from './replay-title.js';
import type { PreviewReplayBody, ReplayJobDetail, ReplayJobObject, ReplayPreviewObject } from './replay.schema.js';

/** The most endpoints that a preview names. */
const ENDPOINTS_MAX = 50;

const timeOf = (text: string): string => new Date(text).toISOString();

/** The filter of an order without its other fields. */
export function filterOf(body: PreviewReplayBody & { readonly reason?: string | undefined }): ReplayFilter {
  const { verb: _verb, reason: _reason, ...filter } = body;
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export function presentPreview(preview: ReplayPreview): ReplayPreviewObject {
  const { sendable, blocked, warnings, endpoints, isComplete } = preview;
  return {
    object: 'replay_preview',
    sendable: Math.min(sendable, COUNTED_MAX),
    blocked: Math.min(blocked, COUNTED_MAX),
    count_is_more: !isComplete || sendable > COUNTED_MAX || blocked > COUNTED_MAX,
    warnings: [...warnings],
    endpoints: endpoints.slice(0, ENDPOINTS_MAX).map(presentEndpoint),
  };
}

function presentEndpoint({ id, url, merchantId, merchantName, enabled, count, cause }: PreviewedEndpoint) {
  const known = cause === '' ? null : presentCause(cause);
  return {
    id,
    url,
    merchant_id: merchantId,
    merchant_name: merchantName,
    enabled,
    count,
    cause: known?.sentence ?? null,
    probably_wrong_secret: known?.probably_wrong_secret ?? false,
  };
}

export function presentJob(row: ShownJob): ReplayJobObject {
  return {
    id: row.id,
    object: 'replay_job',
    verb: row.verb,
    title: replayTitle({ ...row, filter: row.criteria }),
    status: row.status,
    filter: Object.fromEntries(
      Object.entries(row.criteria).flatMap(([name, value]): [string, string | string[]][] =>
        value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]]],
      ),
    ),
    requested_by: row.requestedBy,
    reason: row.reason,
    endpoints: row.endpoints,
    sent: row.sent,
    delivered: row.delivered,
    failed_again: row.failed,
    waiting: row.waiting,
    skipped: row.skipped,
    created_at: timeOf(row.createdAt),
    finished_at: row.finishedAt === null ? null : timeOf(row.finishedAt),
  };
}

export function presentJobDetail({
  job,
  targets,
}: {
  job: ShownJob;
  targets: readonly ShownTarget[];
}): ReplayJobDetail {
  return {
    ...presentJob(job),
    targets: targets.map((target) => ({
      endpoint_id: target.endpointId,
      endpoint_url: target.url,
      merchant_id: target.merchantId,
      status: target.status,
      sent: target.sent,
      delivered: target.delivered,
      failed_again: target.failed,
      waiting: target.waiting,
      skipped: target.skipped,
    })),
  };
}
