import { oneOf, searchOf, text } from '../../ui/search-params.ts';

export const ENDPOINT_STATES = ['enabled', 'disabled'] as const;

/** The search parameters of the list of endpoints. */
export interface EndpointSearch {
  readonly state: (typeof ENDPOINT_STATES)[number];
  readonly merchant_id: string;
  readonly after: string;
}

export const endpointSearch = searchOf<EndpointSearch>({
  state: oneOf(ENDPOINT_STATES),
  merchant_id: text,
  after: text,
});

/** The filters as the service takes them. */
export function queryOf({ state, merchant_id: merchantId }: Partial<EndpointSearch>) {
  return {
    ...(state !== undefined && { enabled: state === 'enabled' }),
    ...(merchantId !== undefined && { merchant_id: merchantId }),
  };
}
