import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { Commands } from '../../ui/commands.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { useDialog } from '../../ui/use-dialog.ts';
import { AllowedDestinations } from './allowed-destinations.tsx';
import { TightenDialog } from './tighten-dialog.tsx';
import { TightenPocketDialog } from './tighten-pocket-dialog.tsx';

type Policy = components['schemas']['WithdrawalPolicy'];

/** The rules that the vault checks before it signs a withdrawal of the merchant. */
export function PolicyPanel({ merchantId }: { readonly merchantId: string }) {
  const environment = useEnvironment();
  const live = useLive('merchants', 'withdrawals');
  const policy = useQuery({
    queryKey: [environment, 'merchants', merchantId, 'policy'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/merchants/{id}/policy', {
          params: { path: { environment, id: merchantId } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (policy.data !== undefined) return <PolicyView policy={policy.data} />;
  return (
    <Panel title="Withdrawal rules">
      {policy.error === null ? (
        <Loading />
      ) : (
        <ErrorState error={asApiError(policy.error)} onRetry={() => void policy.refetch()} />
      )}
    </Panel>
  );
}

function PolicyView({ policy }: { readonly policy: Policy }) {
  const environment = useEnvironment();
  const { merchant_id: id } = policy;
  return (
    <Panel title="Withdrawal rules" actions={<TightenButtons policy={policy} />}>
      {policy.frozen_reason !== null && (
        <Alert color="red" variant="light" title="Frozen: no withdrawal of this merchant is signed">
          <ForeignText value={policy.frozen_reason} />
          <Text size="sm">
            Its payments are still credited, and sweeps and refunds of deposits go on. To stop these too, freeze the
            network.
          </Text>
          <Text size="sm">An administrator can unfreeze it on the page Withdrawals, under Signing.</Text>
        </Alert>
      )}
      <Facts
        facts={[
          {
            label: 'Withdrawals in 24 hours',
            value: `${policy.signed_today} signed, of ${policy.daily_count ?? 'any number'}`,
          },
          { label: 'Destinations', value: policy.allow_list_only ? 'only those on the allow-list' : 'any' },
          {
            label: 'New destinations',
            value:
              policy.new_destination_hours === null
                ? 'are paid at once'
                : `wait for ${policy.new_destination_hours} hours`,
          },
          ...policy.pockets.map((pocket) => ({
            label: `${pocket.token} on ${pocket.network}`,
            value: (
              <>
                {limitsOf(pocket)}{' '}
                <PlaceLink to={`/${environment}/pockets/${pocket.pocket_id}`}>Open the pocket</PlaceLink>
              </>
            ),
          })),
        ]}
      />
      <AllowedDestinations policy={policy} />
      <Text size="sm" mt="sm">
        The console can only tighten these rules, so that a stolen session cannot release money. To loosen them, an
        operator runs for example:
      </Text>
      <Commands
        commands={[
          ...(policy.daily_count === null
            ? []
            : [`npx coffer policy set --merchant ${id} --env ${environment} --daily-count ${policy.daily_count + 10}`]),
          `npx coffer policy allow ADDRESS --merchant ${id} --env ${environment}`,
        ]}
      />
    </Panel>
  );
}

function limitsOf({ token, daily_amount: daily, unapproved_amount: unapproved }: Policy['pockets'][number]): string {
  const limits = [
    ...(daily === null ? [] : [`${daily} ${token} in 24 hours`]),
    ...(unapproved === null ? [] : [`above ${unapproved} ${token} only with an approval`]),
  ];
  return `${limits.join('; ')}.`;
}

function TightenButtons({ policy }: { readonly policy: Policy }) {
  const environment = useEnvironment();
  const session = useSession();
  const rules = useDialog('tighten');
  const pocket = useDialog('tighten-pocket');
  if (!may(session, environment, 'policies.tighten')) return null;
  return (
    <>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={rules.open}>
          Tighten
        </Button>
        <Button size="xs" variant="default" onClick={pocket.open}>
          Limit a pocket
        </Button>
      </Group>
      <TightenDialog policy={policy} isOpen={rules.isOpen} onClose={rules.close} />
      <TightenPocketDialog policy={policy} isOpen={pocket.isOpen} onClose={pocket.close} />
    </>
  );
}
