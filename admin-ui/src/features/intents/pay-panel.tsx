import '@mantine/core/styles/SegmentedControl.layer.css';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copy } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import type { IntentDetail } from './intent-object.ts';

interface PayPanelProps {
  readonly intent: IntentDetail;
  readonly address: string;
  /** What the payer still has to send, in whole tokens. */
  readonly toPay: string;
}

/** What the payer scans. Many wallets know no payment links, so the address alone comes first. */
export function PayPanel({ intent, address, toPay }: PayPanelProps) {
  const [isChosen, setChosen] = useState(false);
  // The link asks for the whole amount, so it is wrong once a part has arrived.
  const uri = toPay === intent.crypto_amount_decimal ? intent.payment_uri : null;
  const isLink = isChosen && uri !== null;
  const value = isLink ? uri : address;
  return (
    <Panel title="Pay">
      <Group gap="lg" align="flex-start">
        <QrCode value={value} label={isLink ? 'Payment link' : 'Address to pay to'} />
        <Stack gap="xs">
          <Text>
            Send exactly {toPay} {intent.token} on {intent.network}.
          </Text>
          {uri !== null && uri !== address && (
            <SegmentedControl
              aria-label="Content of the code"
              size="xs"
              value={isLink ? 'link' : 'address'}
              onChange={(chosen) => setChosen(chosen === 'link')}
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
