import { API_KEY_PREFIX } from '../../domain/api-key.js';
import { timeOfId } from '../../domain/ids.js';
import type { ErrorGroup, ShownRequest } from '../../request-log/request-overview.service.js';
import type { ApiErrorGroupObject, ApiRequestObject } from './requests.schema.js';

/** A request of the log. */
export const presentRequest = (request: ShownRequest): ApiRequestObject => ({
  id: request.id,
  object: 'api_request',
  environment: request.environment,
  merchant_id: request.merchantId,
  merchant_name: request.merchantName,
  api_key_id: request.apiKeyId,
  api_key: `${API_KEY_PREFIX[request.environment]}…${request.keyLast4 ?? ''}`,
  method: request.method,
  route: request.route,
  resource_id: request.resourceId,
  status: request.status,
  error_code: request.errorCode,
  idempotency_key: request.idempotencyKey,
  replayed: request.replayed,
  duration_ms: request.durationMs,
  created_at: new Date(request.createdAt).toISOString(),
});

/** Errors with one code and route. */
export const presentErrorGroup = (group: ErrorGroup): ApiErrorGroupObject => ({
  id: `${group.errorCode} ${group.method} ${group.route}`,
  object: 'api_error_group',
  error_code: group.errorCode,
  method: group.method,
  route: group.route,
  count: group.count,
  count_is_more: group.isMore,
  merchants: group.merchants,
  since: timeOfId(group.firstId).toISOString(),
  latest: timeOfId(group.latestId).toISOString(),
  latest_request_id: group.latestId,
});
