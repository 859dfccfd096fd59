import type { FilterQuery } from '@mikro-orm/core';
import { DomainError, notFound } from '../../domain/errors.js';
import type { Tx } from '../../platform/database/database.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import type { WebhookScope } from './webhook-scope.js';

/**
 * Returns the endpoint of this id, if it is enabled, so that its deliveries can be made due.
 * @throws DomainError `not_found`, and `invalid_state_transition` when it is disabled: nothing would be sent.
 */
export async function findOpenEndpoint(
  tx: Tx,
  { merchantId, environment }: WebhookScope,
  id: string,
): Promise<WebhookEndpoint> {
  const ofMerchant = merchantId === undefined ? {} : ({ merchantId } satisfies FilterQuery<WebhookEndpoint>);
  const ofEnvironment = environment === undefined ? {} : ({ environment } satisfies FilterQuery<WebhookEndpoint>);
  const endpoint = await tx.findOne(WebhookEndpoint, { id, deletedAt: null, ...ofMerchant, ...ofEnvironment });
  if (endpoint === null) throw notFound('webhook endpoint');
  if (endpoint.enabled) return endpoint;
  throw new DomainError('invalid_state_transition', 'The endpoint is disabled; enable it first.');
}
