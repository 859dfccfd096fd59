import { oneOf, searchOf, text } from '../../ui/search-params.ts';

export const MERCHANT_STATES = ['verified', 'sandbox only'] as const;

/** The search parameters of the list of merchants. */
export interface MerchantsSearch {
  readonly name: string;
  readonly state: (typeof MERCHANT_STATES)[number];
  readonly after: string;
  readonly dialog: string;
}

export const merchantsSearch = searchOf<MerchantsSearch>({
  name: text,
  state: oneOf(MERCHANT_STATES),
  after: text,
  dialog: text,
});

/** The filters as the service takes them. */
export function queryOf({ name, state }: Partial<MerchantsSearch>) {
  return {
    ...(name !== undefined && { name }),
    ...(state !== undefined && { verified: state === 'verified' }),
  };
}
