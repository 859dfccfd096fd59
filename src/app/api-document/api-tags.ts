import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { z } from 'zod';

/** The version of the package. */
export const VERSION = readVersion();

/** The groups of the API documents, in reading order. */
export const API_TAGS: Readonly<Record<string, string>> = {
  'Payment intents': 'State an amount, get an address, watch it being paid.',
  Pockets: 'Your balances, per token and network.',
  Withdrawals: 'Pay out of a pocket to an external address.',
  'Webhook endpoints': 'Your URLs that receive events.',
  Events: 'All events, including those whose webhook you missed.',
  Deliveries: 'Events sent to your webhook endpoints, their responses, and retries.',
  Networks: 'Networks and tokens on offer.',
  Sandbox: 'Helpers that exist with a sandbox key only.',
};

/** The groups of the console's document, in the order of its navigation. */
export const CONSOLE_TAGS: Readonly<Record<string, string>> = {
  Session: 'Sign in, prove your identity, set a password and an authenticator.',
  Invitations: 'Accept an invitation.',
  Deliveries: 'Webhook deliveries of all merchants, and sending them again.',
  Endpoints: 'Webhook endpoints of all merchants.',
  Search: 'Find the object of an identifier.',
  Intents: 'Payment intents of all merchants, and what happened to them.',
  Decisions: 'What waits for a decision of staff, and unusual payments to acknowledge.',
  Deposits: 'Deposits that belong to no intent, their refunds, and payments on hold.',
  Pockets: 'Balances of merchants, and the entries behind them.',
  Notes: 'Notes of staff.',
  Networks: 'Listeners of the networks and their nodes; pause and resume.',
  'Address pool': 'Addresses that were derived ahead.',
  Treasury: 'Hot wallets, top-ups, sweeps, stakes and discrepancies.',
  Prices: 'The newest prices with their evidence.',
  Books: 'The last audits of the books.',
  Sanctions: 'The sanctions list, and what it stopped.',
  Charts: 'Figures of the last days.',
  Withdrawals: 'Withdrawals of all merchants, and why they wait.',
  Merchants: 'Merchants, their API keys and their withdrawal rules.',
  Team: 'Members of staff, and their sessions.',
  Audit: 'What staff and operators did.',
  Inboxes: 'Receivers of webhooks that the sandbox plays, and what they have received.',
  Sandbox: 'What staff and developers make payers and chains do.',
  Requests: 'API requests of all merchants, and their errors.',
};

/** Reads the package.json above the sources and the build. */
function readVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error('The package.json of this service is missing.');
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
