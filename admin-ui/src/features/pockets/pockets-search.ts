import type { NETWORK_WORDS } from '../../ui/networks.ts';

/** The filters and the cursor of the list, as they stand in the address. */
export interface PocketsSearch {
  network: (typeof NETWORK_WORDS)[number];
  token: string;
  merchant_id: string;
  after: string;
}
