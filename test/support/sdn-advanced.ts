/** A party of a made-up list; addresses by asset, as `Digital Currency Address - <asset>` names it. */
export interface SdnParty {
  readonly name: string;
  readonly addresses?: readonly (readonly [asset: string, address: string])[];
}

export interface SdnFileTraits {
  readonly publishedOn?: string;
  readonly parties: readonly SdnParty[];
  /** Parties without addresses, as nearly all of the official file are: 10,000 of them make 15 MB. */
  readonly bystanders?: number;
}

/** Ids of the official file for the assets that the specs name. */
const FEATURE_TYPES: Readonly<Record<string, number>> = { XBT: 344, ETH: 345, USDT: 887, TRX: 992, SOL: 1167 };
const PLACE_OF_BIRTH = 9;
const BYSTANDERS_PER_CHUNK = 50;

/** A file of the shape of OFAC's `sdn_advanced.xml`, as a whole. */
export async function sdnAdvanced(traits: SdnFileTraits): Promise<string> {
  let text = '';
  for await (const chunk of sdnAdvancedStream(traits)) text += Buffer.from(chunk).toString();
  return text;
}

/** The same, made while it is read; the parties are placed one by one among the bystanders. */
export async function* sdnAdvancedStream(traits: SdnFileTraits): AsyncGenerator<Uint8Array> {
  const { publishedOn = '2026-11-01', parties, bystanders = 0 } = traits;
  yield Buffer.from(headOf(publishedOn));
  const crowd = Buffer.from(Array.from({ length: BYSTANDERS_PER_CHUNK }, (_, index) => bystander(index)).join(''));
  const texts = parties.map((party, index) => Buffer.from(partyOf(50_000 + index, party)));
  for (let made = 0; made < bystanders; made += BYSTANDERS_PER_CHUNK) {
    const next = texts.shift();
    yield next === undefined ? crowd : Buffer.concat([crowd, next]);
  }
  yield* texts;
  yield Buffer.from('  </DistinctParties>\n  <ProfileRelationships />\n</Sanctions>\n');
}

function headOf(publishedOn: string): string {
  const [year, month, day] = publishedOn.split('-').map(Number);
  const types = Object.entries(FEATURE_TYPES).map(
    ([asset, id]) => `<FeatureType ID="${id}" FeatureTypeGroupID="1">Digital Currency Address - ${asset}</FeatureType>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Sanctions Version="2.0" xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ADVANCED_XML">
  <DateOfIssue CalendarTypeID="1"><Year>${year}</Year><Month>${month}</Month><Day>${day}</Day></DateOfIssue>
  <ReferenceValueSets>
    <AliasTypeValues><AliasType ID="1400">A.K.A.</AliasType><AliasType ID="1403">Name</AliasType></AliasTypeValues>
    <FeatureTypeValues>
      <FeatureType ID="${PLACE_OF_BIRTH}" FeatureTypeGroupID="1">Place of Birth</FeatureType>
      ${types.join('\n      ')}
    </FeatureTypeValues>
  </ReferenceValueSets>
  <IDRegDocuments>
    <IDRegDocument ID="1"><DocumentDate><From><Year>1999</Year><Month>1</Month><Day>1</Day></From></DocumentDate></IDRegDocument>
  </IDRegDocuments>
  <DistinctParties>
`;
}

/** An individual with an alias and a place of birth, which is a detail as an address is. */
const bystander = (index: number): string =>
  profileOf(
    10_000 + index,
    aliasOf(true, ['NAVROTSKYI', `Ivan ${index}`]) + aliasOf(false, ['THE CARPENTER']),
    featureOf(PLACE_OF_BIRTH, 'Kyiv, Ukraine'),
  );

const partyOf = (id: number, { name, addresses = [] }: SdnParty): string =>
  profileOf(
    id,
    aliasOf(false, ['A WEAK ALIAS']) + aliasOf(true, [name]) + aliasOf(false, ['ANOTHER ALIAS']),
    addresses.map(([asset, address]) => featureOf(FEATURE_TYPES[asset] ?? 0, address)).join(''),
  );

const profileOf = (id: number, aliases: string, features: string): string => `    <DistinctParty FixedRef="${id}">
      <Comment />
      <Profile ID="${id}" PartySubTypeID="4">
        <Identity ID="${id + 1}" FixedRef="${id}" Primary="true" False="false">
${aliases}          <NamePartGroups><MasterNamePartGroup><NamePartGroup ID="7" NamePartTypeID="1520" /></MasterNamePartGroup></NamePartGroups>
        </Identity>
${features}      </Profile>
    </DistinctParty>
`;

const aliasOf = (isPrimary: boolean, parts: readonly string[]): string =>
  `          <Alias FixedRef="1" AliasTypeID="${isPrimary ? 1403 : 1400}" Primary="${isPrimary}" LowQuality="false">
            <DocumentedName ID="3" FixedRef="1" DocNameStatusID="1">
${parts.map((part) => `              <DocumentedNamePart><NamePartValue NamePartGroupID="7" ScriptID="215" Acronym="false">${part}</NamePartValue></DocumentedNamePart>\n`).join('')}            </DocumentedName>
          </Alias>
`;

const featureOf = (type: number, detail: string): string => `        <Feature ID="50215" FeatureTypeID="${type}">
          <FeatureVersion ReliabilityID="1560" ID="47914">
            <Comment />
            <VersionDetail DetailTypeID="1432">${detail}</VersionDetail>
          </FeatureVersion>
          <IdentityReference IdentityID="1" IdentityFeatureLinkTypeID="1" />
        </Feature>
`;
