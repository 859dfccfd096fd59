import type { components } from '../api/schema.d.ts';

type Schemas = components['schemas'];
type Status =
  | Schemas['StaffIntent']['status']
  | Schemas['StaffIntentDetail']['payments'][number]['status']
  | Schemas['StaffWithdrawal']['status']
  | Schemas['MismatchedDeposit']['status']
  | Schemas['StaffDeposit']['status']
  | Schemas['Delivery']['status']
  // What a search says of a withdrawal that waits for staff.
  | 'needs_approval'
  | 'frozen';

/** Every status that the API has for what payers, merchants and receivers did, as the console writes it. */
const WORDS: Readonly<Record<Status, string>> = {
  requires_action: 'Requires action',
  processing: 'Processing',
  completed: 'Completed',
  failed: 'Failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
  broadcasting: 'Broadcasting',
  seen: 'Seen',
  pending: 'Pending',
  confirmed: 'Confirmed',
  orphaned: 'Dropped by a reorg',
  on_hold: 'On hold',
  kept: 'Kept on hold',
  delivered: 'Delivered',
  dead_letter: 'Dead-lettered',
  held: 'Held',
  needs_approval: 'Needs approval',
  frozen: 'Frozen',
};

/** A status in words. */
export const statusText = (status: Status): string => WORDS[status];

const isStatus = (text: string): text is Status => Object.hasOwn(WORDS, text);

/** The same where the text may be something else than a status, which stays as it is. */
export const statusTextOr = (text: string): string => (isStatus(text) ? WORDS[text] : text);
