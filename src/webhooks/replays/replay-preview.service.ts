import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { Database, rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { COUNTED_MAX } from '../overview/delivery-overview.service.js';
import { countMatching } from '../overview/delivery-search.sql.js';
import { deliveryFilterOf, type ReplayFilter } from './replay-filter.js';
import type { ReplayVerb } from './replay-verb.js';
import { countChosen, countMissing, namedEndpoints } from './replay-preview.sql.js';
import { isSent, type MatchingGroup, type ReplayWarning, warningsOf } from './replay-warnings.js';

/** Events that a preview of missing ones looks at. */
const EXAMINED_MAX = 50_000;

type NamedEndpoint = RowOf<typeof namedEndpoints>;

/** What a job would send to one endpoint. */
export interface PreviewedEndpoint extends NamedEndpoint {
  readonly count: number;
  /** The most frequent cause of those that were not delivered; empty when there is none. */
  readonly cause: string;
}

/** What a job would send. Counts stop at `COUNTED_MAX + 1`; the number is then at least that. */
export interface ReplayPreview {
  /** To enabled endpoints. */
  readonly sendable: number;
  /** To disabled endpoints, for which nothing is sent. */
  readonly blocked: number;
  /** The most first. */
  readonly endpoints: readonly PreviewedEndpoint[];
  readonly warnings: readonly ReplayWarning[];
  /** False when there are too many events to look at each; only for missing events. */
  readonly isComplete: boolean;
}

interface NamedGroup extends MatchingGroup {
  readonly cause: string;
}

/** Counts what a replay job would send. */
@Injectable()
export class ReplayPreviews {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `not_found` when missing events are asked for an endpoint that does not exist. */
  async preview(environment: Environment, verb: ReplayVerb, filter: ReplayFilter): Promise<ReplayPreview> {
    if (verb === 'send_missing') return this.missing(environment, filter);
    const max = COUNTED_MAX + 1;
    const statement =
      filter.delivery_ids === undefined
        ? countMatching(environment, deliveryFilterOf(filter), max)
        : countChosen(environment, filter.delivery_ids);
    const em = this.database.em();
    const counted = statement === null ? [] : await rows(em, statement);
    const named = await rows(em, namedEndpoints([...new Set(counted.map((group) => group.endpointId))]));
    const byId = new Map(named.map((endpoint) => [endpoint.id, endpoint]));
    const groups = counted.flatMap(({ endpointId, status, cause, count }): NamedGroup[] => {
      const endpoint = byId.get(endpointId);
      if (endpoint === undefined) return [];
      const { enabled, isDeleted } = endpoint;
      const responseStatus = /^\d+$/.test(cause) ? Number(cause) : null;
      return [
        {
          endpointId,
          enabled,
          isDeleted,
          status,
          responseStatus,
          cause,
          count: Number(count),
        },
      ];
    });
    return { ...summaryOf(verb, groups, byId), isComplete: true };
  }

  private async missing(environment: Environment, filter: ReplayFilter): Promise<ReplayPreview> {
    const em = this.database.em();
    const endpoint = await em.findOne(WebhookEndpoint, { id: filter.endpoint_id ?? '', environment, deletedAt: null });
    if (endpoint === null) throw notFound('webhook endpoint');
    const since = new Date(filter.created_gte ?? 0);
    const [counted] = await rows(em, countMissing(endpoint, since, EXAMINED_MAX));
    const count = Number(counted?.missing ?? 0);
    const named = await rows(em, namedEndpoints([endpoint.id]));
    const warnings: ReplayWarning[] = [
      ...(count === 0 || !endpoint.enabled ? (['nothing_to_send'] as const) : []),
      ...(endpoint.enabled ? [] : (['endpoint_disabled'] as const)),
    ];
    return {
      sendable: endpoint.enabled ? count : 0,
      blocked: endpoint.enabled ? 0 : count,
      endpoints: named.map((one) => ({ ...one, count, cause: '' })),
      warnings,
      isComplete: Number(counted?.examined ?? 0) < EXAMINED_MAX,
    };
  }
}

function summaryOf(
  verb: ReplayVerb,
  groups: readonly NamedGroup[],
  named: ReadonlyMap<string, NamedEndpoint>,
): Omit<ReplayPreview, 'isComplete'> {
  const wanted = groups.filter((group) => isSent(verb, group.status) && !group.isDeleted);
  const total = (of: readonly NamedGroup[]): number => of.reduce((sum, group) => sum + group.count, 0);
  const endpoints = [...named.values()].flatMap((endpoint): PreviewedEndpoint[] => {
    const own = wanted.filter((group) => group.endpointId === endpoint.id);
    if (own.length === 0) return [];
    const failed = own.filter((group) => group.status !== 'delivered').toSorted((a, b) => b.count - a.count);
    return [{ ...endpoint, count: total(own), cause: failed[0]?.cause ?? '' }];
  });
  return {
    sendable: total(wanted.filter((group) => group.enabled)),
    blocked: total(wanted.filter((group) => !group.enabled)),
    endpoints: endpoints.toSorted((a, b) => b.count - a.count),
    warnings: warningsOf(verb, groups),
  };
}
