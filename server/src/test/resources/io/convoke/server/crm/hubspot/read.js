// Calls the stand-in with HubSpot's own client, and compares each answer with the types that the client declares.
// Prints one JSON object: for each call its value and what is wrong with it.
const fs = require('fs');
const path = require('path');
const { Client } = require('@hubspot/api-client');

const lib = path.join(path.dirname(require.resolve('@hubspot/api-client/package.json')), 'lib', 'codegen');
const client = new Client({ accessToken: process.env.TOKEN, basePath: process.env.URL });
const out = {};

/** The members of a declared class: name, whether it may be missing, and its type. */
function members(folder, name) {
  const file = path.join(lib, folder, 'models', `${name}.d.ts`);
  if (!fs.existsSync(file)) return null;
  const body = fs.readFileSync(file, 'utf8').split(/static readonly discriminator/)[0];
  return [...body.matchAll(/^ {4}'(\w+)'(\?)?: (.*?);?$/gm)].map(([, key, maybe, type]) => ({ key, maybe: !!maybe, type }));
}

function check(folder, type, value, at, wrong) {
  const list = /^Array<(.*)>$/.exec(type);
  if (list) {
    if (!Array.isArray(value)) wrong.push(`${at} is no list`);
    else value.forEach((each, i) => check(folder, list[1], each, `${at}[${i}]`, wrong));
  } else if (type === 'Date') {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) wrong.push(`${at} is no time`);
  } else if (['string', 'number', 'boolean'].includes(type)) {
    if (typeof value !== type) wrong.push(`${at} is a ${typeof value}, not a ${type}`);
  } else if (type.endsWith('Enum')) {
    if (typeof value !== 'string') wrong.push(`${at} is no word`);
  } else if (type.startsWith('{')) {
    if (typeof value !== 'object' || value === null) wrong.push(`${at} is no object`);
  } else {
    for (const member of members(folder, type) ?? []) {
      const found = value?.[member.key];
      if (found === undefined || found === null) {
        if (!member.maybe) wrong.push(`${at}.${member.key} is missing`);
      } else check(folder, member.type, found, `${at}.${member.key}`, wrong);
    }
  }
}

async function call(name, folder, type, promise) {
  const wrong = [];
  let value = null;
  try {
    value = await promise;
    check(folder, type, value, name, wrong);
  } catch (thrown) {
    wrong.push(`${name} failed: ${thrown.code} ${JSON.stringify(thrown.body ?? String(thrown))}`);
  }
  out[name] = { wrong, value };
  return value;
}

async function all() {
  const { contacts, objects, owners, properties } = client.crm;
  const associations = client.crm.associations.v4;
  const at = '2026-03-02T09:00:00Z';
  const contact = await call('create', 'crm/contacts', 'SimplePublicObject',
    contacts.basicApi.create({ properties: { email: 'new@example.org' } }));
  const meeting = await call('createMeeting', 'crm/objects/meetings', 'SimplePublicObject',
    objects.meetings.basicApi.create({ properties: { hs_timestamp: at, hs_meeting_title: 'By hand' } }));
  const key = { id: 'by-client', idProperty: 'convoke_recording_id' };
  const input = (title) => ({ inputs: [{ ...key, properties: { convoke_recording_id: key.id, hs_timestamp: at, hs_meeting_title: title } }] });
  const upserts = 'BatchResponseSimplePublicUpsertObject';
  await call('upsert', 'crm/objects/meetings', upserts, objects.meetings.batchApi.upsert(input('One')));
  await call('upsertAgain', 'crm/objects/meetings', upserts, objects.meetings.batchApi.upsert(input('Two')));
  await call('upsertWrong', 'crm/objects/meetings', `${upserts}WithErrors`,
    objects.meetings.batchApi.upsert({ inputs: [{ ...key, properties: { nonsense: 'x', hs_timestamp: at } }] }));
  await call('associate', 'crm/associations/v4', 'BatchResponseLabelsBetweenObjectPair',
    associations.batchApi.create('meetings', 'contacts', {
      inputs: [{ _from: { id: meeting?.id }, to: { id: contact?.id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 200 }] }],
    }));
  await call('associated', 'crm/associations/v4', 'BatchResponsePublicAssociationMultiWithLabel',
    associations.batchApi.getPage('contacts', 'companies', { inputs: [{ id: process.env.CONTACT }] }));
  await call('search', 'crm/contacts', 'CollectionResponseWithTotalSimplePublicObjectForwardPaging',
    contacts.searchApi.doSearch({
      filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: 'new@example.org' }] }], properties: ['email'], limit: 10,
    }));
  await call('read', 'crm/contacts', 'BatchResponseSimplePublicObject',
    contacts.batchApi.read({ inputs: [{ id: 'new@example.org' }], idProperty: 'email', properties: ['email'], propertiesWithHistory: [] }));
  await call('owners', 'crm/owners', 'CollectionResponsePublicOwnerForwardPaging', owners.ownersApi.getPage('eve@example.org'));
  await call('property', 'crm/properties', 'Property', properties.coreApi.getByName('meetings', key.idProperty));
}

all().then(() => console.log(JSON.stringify(out)));
