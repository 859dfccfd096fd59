import { ForeignText } from './foreign-text.tsx';
import { PlaceLink } from './place-link.tsx';

interface MerchantLinkProps {
  readonly environment: string;
  readonly id: string;
  readonly name: string;
}

/** The name of a merchant, which leads to its page. */
export function MerchantLink({ environment, id, name }: MerchantLinkProps) {
  return (
    <PlaceLink to={`/${environment}/merchants/${id}`} title={id}>
      <ForeignText value={name} max={100} />
    </PlaceLink>
  );
}
