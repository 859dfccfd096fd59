import '@mantine/core/styles/SegmentedControl.layer.css';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copy } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import type { IntentDetail } from './intent-object.ts';

/** What the payer scans. Many wallets know no payment links, so the address alone comes first. */
export function PayPanel({ intent, address }: { readonly intent: IntentDetail; readonly address: string }) {
  const [isLink, setLink] = useState(false);
  const { payment_uri: uri } = intent;
  const value = isLink && uri !== null ? uri : address;
  return (
    <Panel title="Pay">
      <Group gap="lg" align="flex-start">
        <QrCode value={value} label={isLink ? 'Payment link' : 'Address to pay to'} />
        <Stack gap="xs">
          <Text>
            Send exactly {intent.crypto_amount_decimal} {intent.token} on {intent.network}.
          </Text>
          {uri !== null && uri !== address && (
            <SegmentedControl
              aria-label="Content of the code"
              size="xs"
              value={isLink ? 'link' : 'address'}
              onChange={(chosen) => setLink(chosen === 'link')}
              data={[
                { value: 'address', label: 'Address' },
                { value: 'link', label: 'Payment link' },
              ]}
            />
          )}
          <Copy value={value} label={isLink ? 'payment link' : 'address to pay to'} />
        </Stack>
      </Group>
    </Panel>
  );
}
