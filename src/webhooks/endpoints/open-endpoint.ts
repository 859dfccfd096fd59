import { DomainError, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { WebhookScope } from './webhook-scope.js';

/** An endpoint that is enabled, so that its deliveries can be made due. */
export interface OpenEndpoint {
  readonly id: string;
  readonly merchant_id: string;
  readonly environment: Environment;
  readonly event_types: readonly string[];
}

/**
 * Returns the endpoint of this id, if it is enabled.
 * @throws DomainError `not_found`, and `invalid_state_transition` when it is disabled: nothing would be sent.
 */
export async function findOpenEndpoint(
  tx: Tx,
  { merchantId, environment }: WebhookScope,
  id: string,
): Promise<OpenEndpoint> {
  const [endpoint] = await sql<OpenEndpoint & { readonly enabled: boolean }>(
    tx,
    `select id, merchant_id, environment, event_types, enabled from webhook_endpoint
      where id = $1 and deleted_at is null
        and ($2::text is null or merchant_id = $2) and ($3::text is null or environment = $3)`,
    [id, merchantId ?? null, environment ?? null],
  );
  if (endpoint === undefined) throw notFound('webhook endpoint');
  if (endpoint.enabled) return endpoint;
  throw new DomainError('invalid_state_transition', 'The endpoint is disabled; enable it first.');
}
