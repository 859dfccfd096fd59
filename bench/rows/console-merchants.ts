import { type ConsoleView, measureViews } from '../console-figures.ts';
import { ConsoleSession } from '../console-session.ts';
import { type FilteredList, viewOf } from '../filtered-list.ts';
import { COMMON_NAME, loadMerchants } from '../merchants-table.ts';
import { PlanLog } from '../plan-log.ts';
import { loadPockets } from '../pockets-table.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

interface Sizes {
  readonly merchants: number;
  readonly requests: number;
}

/**
 * Measures what the console shows of merchants, endpoints, pockets and charts, among ten thousand merchants with their keys, two
 * endpoints and twelve pockets each, while intents are created.
 */
export async function measureConsoleMerchants(stage: Stage, { merchants, requests }: Sizes): Promise<Figure[]> {
  const merchantIds = await loadMerchants(stage, merchants);
  await loadPockets(stage, merchantIds);
  const merchantId = merchantIds[merchants / 2] ?? '';
  const views: ConsoleView[] = [];
  for (const list of lists(merchantId)) views.push(await viewOf(stage, list));
  views.push(
    { name: 'a merchant', paths: [`/merchants/${merchantId}`] },
    { name: 'withdrawal rules of a merchant', paths: [`/merchants/${merchantId}/policy`] },
    { name: 'an endpoint', paths: [`/endpoints/we_00${'7'.padStart(24, '0')}`] },
    { name: 'charts of 90 days', paths: ['/charts?days=90'] },
  );
  const plans = await PlanLog.open(stage);
  try {
    await plans.assertIndexed(views.flatMap(({ paths }) => paths));
  } finally {
    await plans.close();
  }
  const session = await ConsoleSession.open(stage.service);
  try {
    return await measureViews(stage, session, views, requests);
  } finally {
    await session.close();
  }
}

function lists(merchantId: string): FilteredList[] {
  const merchants = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `merchants, ${name}`,
    path: '/merchants',
    query,
    from: `merchant where ${where}`,
    order: 'id desc',
    id: 'id',
  });
  const endpoints = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `endpoints, ${name}`,
    path: '/endpoints',
    query,
    from: `webhook_endpoint where environment = 'sandbox' and deleted_at is null and ${where}`,
    order: 'created_at desc, id desc',
    id: 'id',
  });
  const pockets = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `pockets, ${name}`,
    path: '/pockets',
    query,
    from: `pocket where environment = 'sandbox' and ${where}`,
    order: 'id desc',
    id: 'id',
  });
  return [
    merchants('unfiltered', {}, 'true'),
    merchants('name', { name: COMMON_NAME.toUpperCase() }, `name = '${COMMON_NAME}'`),
    merchants('verified', { verified: 'true' }, 'live_verified_at is not null'),
    merchants('not verified', { verified: 'false' }, 'live_verified_at is null'),
    {
      name: 'API keys of a merchant',
      path: `/merchants/${merchantId}/keys`,
      query: {},
      from: `api_key where merchant_id = '${merchantId}' and environment = 'sandbox'`,
      order: 'id desc',
      id: 'id',
    },
    endpoints('unfiltered', {}, 'true'),
    endpoints('enabled', { enabled: 'true' }, 'enabled'),
    endpoints('disabled', { enabled: 'false' }, 'not enabled'),
    endpoints('merchant', { merchant_id: merchantId }, `merchant_id = '${merchantId}'`),
    pockets('unfiltered', {}, 'true'),
    pockets('merchant', { merchant_id: merchantId }, `merchant_id = '${merchantId}'`),
    pockets('network', { network: 'bnb' }, `network = 'bnb'`),
    pockets('token', { token: 'EURC' }, `token = 'EURC'`),
    pockets('rare token', { token: 'POL' }, `token = 'POL'`),
    pockets('network and token', { network: 'bnb', token: 'DAI' }, `network = 'bnb' and token = 'DAI'`),
    pockets('network and rare token', { network: 'polygon', token: 'POL' }, `network = 'polygon' and token = 'POL'`),
  ];
}
