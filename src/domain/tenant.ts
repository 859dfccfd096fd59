import type { Environment } from './network.js';

/** The owner of data: every read and write of the merchant API is confined to one merchant in one environment. */
export interface Tenant {
  readonly merchantId: string;
  readonly environment: Environment;
}
