import { between, dates, type FilteredList } from './filtered-list.ts';

const WEEK = dates(5, 1);
const YEAR = dates(350, 10);

/** The lists of logged requests. */
export function requestLists({
  merchantId,
  keyId,
}: {
  readonly merchantId: string;
  readonly keyId: string;
}): FilteredList[] {
  const route = '/v1/payment-intents/:id/confirm';
  const of = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `requests, ${name}`,
    path: '/requests',
    query,
    from: `api_request where environment = 'sandbox' and ${where}`,
    order: 'id desc',
    id: 'id',
  });
  return [
    of('unfiltered', {}, 'true'),
    of('2xx', { status: '2xx' }, 'error_code is null'),
    of('4xx', { status: '4xx' }, 'status between 400 and 499'),
    of('5xx', { status: '5xx' }, 'status >= 500'),
    of('no answer', { status: 'none' }, 'status is null'),
    of('code', { error_code: 'not_found' }, `error_code = 'not_found'`),
    of('POST', { method: 'POST' }, `method = 'POST'`),
    of('another method', { method: 'DELETE' }, `method = 'DELETE'`),
    of('route', { route }, `route = '${route}'`),
    of('merchant', { merchant_id: merchantId }, `merchant_id = '${merchantId}'`),
    of('API key', { api_key_id: keyId }, `api_key_id = '${keyId}'`),
    of('dates', WEEK, between(WEEK)),
    of(
      'merchant, route, 4xx and dates',
      { merchant_id: merchantId, route, status: '4xx', ...WEEK },
      `merchant_id = '${merchantId}' and route = '${route}' and status between 400 and 499 and ${between(WEEK)}`,
    ),
  ];
}

/** The lists of the audit log. */
export function auditLists(): FilteredList[] {
  const of = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `audit log, ${name}`,
    path: '/audit',
    query,
    from: `audit_entry where (environment = 'sandbox' or environment is null) and ${where}`,
    order: 'created_at desc, id desc',
    id: 'id',
  });
  const actor = 'kim@example.com';
  const action = 'endpoint.disable';
  return [
    of('unfiltered', {}, 'true'),
    of('environment', { place: 'environment' }, 'environment is not null'),
    of('outside', { place: 'outside' }, 'environment is null'),
    of('author', { actor }, `actor = '${actor}'`),
    of('action', { action }, `action = '${action}'`),
    of('object', { subject: 'we_busy' }, `subject = 'we_busy'`),
    of('dates', YEAR, between(YEAR)),
    of(
      'author, action and dates',
      { actor, action, ...YEAR },
      `actor = '${actor}' and action = '${action}' and ${between(YEAR)}`,
    ),
  ];
}
