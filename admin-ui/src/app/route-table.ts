/** What a page requires: nothing, a session, or a permission in the environment of its address. */
type Access = 'public' | 'session' | { readonly permission: string };

export interface ConsolePage {
  /** Below `/admin`. `$environment` is sandbox or live. */
  readonly path: string;
  readonly title: string;
  readonly access: Access;
  /** Its place in the navigation. */
  readonly nav?: number;
  /** The only environment that has it. */
  readonly only?: 'sandbox';
}

/** Every page of the console. The router, the navigation and the tests of all pages read this table. */
export const PAGES = {
  signIn: { path: '/sign-in', title: 'Sign in', access: 'public' },
  accept: { path: '/accept', title: 'Accept the invitation', access: 'public' },
  deadLetters: {
    path: '/$environment/dead-letters',
    title: 'Dead letters',
    access: { permission: 'deliveries.read' },
    nav: 10,
  },
  deliveries: {
    path: '/$environment/deliveries',
    title: 'Deliveries',
    access: { permission: 'deliveries.read' },
    nav: 11,
  },
  delivery: { path: '/$environment/deliveries/$id', title: 'Delivery', access: { permission: 'deliveries.read' } },
  replayJobs: {
    path: '/$environment/replay-jobs',
    title: 'Replay jobs',
    access: { permission: 'deliveries.read' },
    nav: 12,
  },
  replayJob: { path: '/$environment/replay-jobs/$id', title: 'Replay job', access: { permission: 'deliveries.read' } },
  endpoints: { path: '/$environment/endpoints', title: 'Endpoints', access: { permission: 'endpoints.read' }, nav: 13 },
  endpoint: { path: '/$environment/endpoints/$id', title: 'Endpoint', access: { permission: 'endpoints.read' } },
  account: { path: '/account', title: 'Your account', access: 'session' },
  search: { path: '/$environment/search', title: 'Search', access: { permission: 'intents.read' } },
  decide: { path: '/$environment/decide', title: 'Open decisions', access: { permission: 'deposits.read' }, nav: 20 },
  know: { path: '/$environment/know', title: 'Unusual payments', access: { permission: 'deposits.read' }, nav: 21 },
  deposits: {
    path: '/$environment/deposits',
    title: 'Mismatched deposits',
    access: { permission: 'deposits.read' },
    nav: 35,
  },
  deposit: { path: '/$environment/deposits/$id', title: 'Deposit', access: { permission: 'deposits.read' } },
  intents: { path: '/$environment/intents', title: 'Payment intents', access: { permission: 'intents.read' }, nav: 30 },
  intent: { path: '/$environment/intents/$id', title: 'Payment intent', access: { permission: 'intents.read' } },
  pockets: { path: '/$environment/pockets', title: 'Pockets', access: { permission: 'pockets.read' }, nav: 40 },
  pocket: { path: '/$environment/pockets/$id', title: 'Pocket', access: { permission: 'pockets.read' } },
  withdrawals: {
    path: '/$environment/withdrawals',
    title: 'Withdrawals',
    access: { permission: 'withdrawals.read' },
    nav: 50,
  },
  withdrawal: {
    path: '/$environment/withdrawals/$id',
    title: 'Withdrawal',
    access: { permission: 'withdrawals.read' },
  },
  inboxes: {
    path: '/$environment/inbox',
    title: 'Webhook inbox',
    access: { permission: 'endpoints.read' },
    nav: 71,
    only: 'sandbox',
  },
  inbox: { path: '/$environment/inbox/$id', title: 'Inbox', access: { permission: 'endpoints.read' } },
  requests: { path: '/$environment/requests', title: 'Request log', access: { permission: 'requests.read' }, nav: 70 },
  networks: { path: '/$environment/networks', title: 'Networks', access: { permission: 'operations.read' }, nav: 80 },
  walletPool: {
    path: '/$environment/wallet-pool',
    title: 'Address pool',
    access: { permission: 'operations.read' },
    nav: 81,
  },
  treasury: { path: '/$environment/treasury', title: 'Treasury', access: { permission: 'operations.read' }, nav: 82 },
  prices: { path: '/$environment/prices', title: 'Prices', access: { permission: 'operations.read' }, nav: 83 },
  books: { path: '/$environment/books', title: 'Books', access: { permission: 'operations.read' }, nav: 84 },
  sanctions: {
    path: '/$environment/sanctions',
    title: 'Sanctions',
    access: { permission: 'operations.read' },
    nav: 85,
  },
  charts: { path: '/$environment/charts', title: 'Charts', access: { permission: 'operations.read' }, nav: 86 },
  merchants: {
    path: '/$environment/merchants',
    title: 'Merchants',
    access: { permission: 'merchants.read' },
    nav: 60,
  },
  merchant: { path: '/$environment/merchants/$id', title: 'Merchant', access: { permission: 'merchants.read' } },
  team: { path: '/$environment/team', title: 'Team', access: { permission: 'team.read' }, nav: 90 },
  audit: { path: '/$environment/audit', title: 'Audit log', access: { permission: 'audit.read' }, nav: 91 },
  codes: { path: '/account/codes', title: 'Sign-in codes', access: 'session' },
} as const satisfies Readonly<Record<string, ConsolePage>>;

export type PageName = keyof typeof PAGES;
