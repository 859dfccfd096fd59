import { Body, Get, HttpCode, Post } from '@nestjs/common';
import { invalidParam } from '../../domain/errors.js';
import { type Environment, type Network, NETWORKS } from '../../domain/network.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { SigningFreeze } from '../../withdrawals/payouts/signing-freeze.service.js';
import { SigningPlaces } from '../../withdrawals/payouts/signing-places.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentPlace } from './signing.presenter.js';
import {
  type SigningBody,
  signingBody,
  type SigningChangeObject,
  signingChangeSchema,
  type SigningObject,
  signingSchema,
  unfreezeBody,
  type UnfreezeBody,
} from './signing.schema.js';

const TAG = 'Withdrawals';
const request = { example: { kind: 'network', id: 'polygon', reason: 'The key may have leaked.' } };

/** Freezes and unfreezes the signing of withdrawals and refunds. */
@EnvironmentController('signing')
@RequirePermission('withdrawals.read')
export class SigningController {
  constructor(
    private readonly database: Database,
    private readonly places: SigningPlaces,
    private readonly freezes: SigningFreeze,
    private readonly unrecorded: UnrecordedMarksReader,
  ) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'getSigning',
    summary: 'Retrieve where payments are signed',
    tag: TAG,
    success: { description: 'Every network with a hot wallet, and every frozen merchant.', schema: signingSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller): Promise<SigningObject> {
    const places = await this.places.all(environment);
    return {
      object: 'signing',
      places: places.map(presentPlace),
    };
  }

  @Post('freeze')
  @RequirePermission('signing.freeze')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'freezeSigning',
    summary: 'Stop signing on a network or for a merchant',
    description:
      'Nothing more is signed there once this answers. Withdrawals are still accepted, and wait. What is signed already is ' +
      'still sent. A frozen place keeps its earlier reasons.',
    tag: TAG,
    request,
    success: { description: 'It is frozen.', schema: signingChangeSchema },
  })
  async freeze(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: signingBody }) { kind, id, reason }: SigningBody,
  ): Promise<SigningChangeObject> {
    const { environment } = staff;
    const order = { ...actorOf(staff), reason };
    const before = await this.database.transaction((tx) =>
      kind === 'network'
        ? this.freezes.freezeNetwork(tx, networkPlace(environment, id), order)
        : this.freezes.freezeMerchant(tx, { environment, merchantId: id }, order),
    );
    return { object: 'signing_change', kind, id, before };
  }

  @Post('unfreeze')
  @RequirePermission('signing.unfreeze')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'unfreezeSigning',
    summary: 'Sign again on a network or for a merchant',
    description:
      'Waiting payments are signed within seconds, the oldest first. Refused for a network whose hot wallet has transactions ' +
      'that are not recorded, whose nodes do not answer within 5 seconds, or whose books hold deposits that a reorg removed; ' +
      'and when the reasons for the freeze are others than the ones that you saw.',
    tag: TAG,
    request: {
      example: {
        kind: 'network',
        id: 'polygon',
        frozen_reason: 'The key may have leaked.',
        reason: 'It was a false alarm.',
      },
    },
    success: { description: 'It signs again.', schema: signingChangeSchema },
  })
  async unfreeze(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: unfreezeBody }) { kind, id, frozen_reason: seen, reason }: UnfreezeBody,
  ): Promise<SigningChangeObject> {
    const { environment } = staff;
    const order = { ...actorOf(staff), reason };
    const place = kind === 'network' ? networkPlace(environment, id) : { environment, merchantId: id };
    const unknown =
      'network' in place
        ? await this.unrecorded.soonOf(
            ({ profile }) => profile.network === place.network && profile.environment === environment,
          )
        : null;
    const before = await this.database.transaction(async (tx) => {
      const was =
        'network' in place
          ? await this.freezes.unfreezeNetwork(tx, place, order, { unknown, seen })
          : await this.freezes.unfreezeMerchant(tx, place, order, seen);
      if (was === null) throw await this.places.notFrozen(tx, place);
      return was;
    });
    return { object: 'signing_change', kind, id, before };
  }
}

function networkPlace(environment: Environment, id: string): { environment: Environment; network: Network } {
  const network = NETWORKS.find((name) => name === id);
  if (network === undefined) throw invalidParam('id', 'id is no network.');
  return { environment, network };
}
