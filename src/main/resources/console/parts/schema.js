/** JSON Schema as far as a form needs it: what a value is, and which one it begins with. */

const DEEPEST = 12;
/** Members that `allOf` may bring together, and forms of `anyOf`: more than that is no form. */
const MOST_MEMBERS = 5_000;
const MOST_VARIANTS = 100;
const MOST_CHOICES = 1_000;
/** Values that a form begins with, and characters of defaults. */
const MOST_BEGUN = 1_000;
const MOST_DEFAULT = 1_048_576;
const NONE = [];

/** What each schema came to: a schema that leads to itself in many ways is looked at once. */
const resolved = new WeakMap();

/**
 * A schema without its references and `allOf`; what cannot be resolved, leads to itself or is too large
 * allows everything.
 */
export function resolve(schema, root, depth = 0) {
  if (!isObject(schema) || depth > DEEPEST) {
    return {};
  }
  if (!resolved.has(schema)) {
    resolved.set(schema, {});
    resolved.set(schema, withoutReferences(schema, root, depth));
  }
  return resolved.get(schema);
}

function withoutReferences(schema, root, depth) {
  let found = schema;
  if (typeof schema.$ref === 'string') {
    const {$ref, ...rest} = schema;
    found = {...resolve(at(root, $ref), root, depth + 1), ...rest};
  }
  if (Array.isArray(found.allOf)) {
    const {allOf, ...rest} = found;
    found = merged([rest, ...allOf.slice(0, MOST_MEMBERS).map(part => resolve(part, root, depth + 1))]);
  }
  return found;
}

function at(root, reference) {
  if (reference === '#') {
    return root;
  }
  try {
    return reference.startsWith('#/') ? reference.slice(2).split('/')
      .map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((value, step) => (isObject(value) || Array.isArray(value) ? own(value, step) : undefined), root) : {};
  } catch {
    return {}; // a percent sign that encodes nothing
  }
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Keeps what `make` gives for each object: many places of a schema may lead to it. */
function once(make) {
  const kept = new WeakMap();
  return object => {
    if (!kept.has(object)) {
      kept.set(object, make(object));
    }
    return kept.get(object);
  };
}

const entriesOf = once(Object.entries);
const namesOf = once(list => new Set(list));

/** The members that a schema of an object names. @returns {[string, unknown][]} */
export const propertiesOf = schema => (isObject(schema.properties) ? entriesOf(schema.properties) : []);

/** The names of the members that it requires. @returns {Set<string>} */
export const requiredOf = schema => namesOf(Array.isArray(schema.required) ? schema.required : NONE);

/** Schemas as one that wants what all of them want. */
function merged(all) {
  const one = Object.assign({}, ...all);
  const properties = {};
  const required = new Set();
  let count = 0;
  for (const schema of all) {
    for (const [name, property] of propertiesOf(schema)) {
      define(properties, name, property);
      if (++count > MOST_MEMBERS) {
        return {};
      }
    }
    requiredOf(schema).forEach(name => required.add(name));
  }
  return {...one, properties, required: [...required]};
}

/** The first type that is not null. */
export function typeOf(schema) {
  const types = Array.isArray(schema.type) ? schema.type.slice(0, 10).filter(type => type !== 'null') : [schema.type];
  if (types.length > 1) {
    return 'any';
  }
  if (types[0]) {
    return types[0];
  }
  if (schema.properties) {
    return 'object';
  }
  return schema.items ? 'array' : 'any';
}

/**
 * The values of a choice with their titles: `enum` with `enumNames`, or `oneOf` of constants.
 *
 * @returns {{value: unknown, title: string, key: string}[]|null} `key` is the value as JSON; null where it
 *     is no choice, or one of too many
 */
export function choices(schema) {
  const several = Array.isArray(schema.enum) ? schema.enum : schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(several) || several.length > MOST_CHOICES) {
    return null;
  }
  if (several === schema.enum) {
    return optionsOf(several).map((option, index) => (schema.enumNames?.[index] ? {...option, title: word(schema.enumNames[index])} : option));
  }
  return constantsOf(several);
}

const LONGEST_TITLE = 100;
const word = value => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST_TITLE);
const option = (value, title) => ({value, title: word(title), key: JSON.stringify(value)});
const optionsOf = once(values => values.map(value => option(value, value)));
const constantsOf = once(several => (several.length > 0 && several.every(one => isObject(one) && 'const' in one) ? several.map(one => option(one.const, one.title ?? one.const)) : null));

const varied = new WeakMap();

/** The forms of `oneOf` or `anyOf`, each with what is common to all; null where there are none, or too many. */
export function variants(schema, root) {
  const all = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(all) || all.length === 0 || all.length > MOST_VARIANTS || choices(schema)) {
    return null;
  }
  if (!varied.has(schema)) {
    const {oneOf, anyOf, ...common} = schema;
    varied.set(schema, all.map(one => merged([common, resolve(one, root)])).filter(one => one.type !== 'null'));
  }
  return varied.get(schema);
}

/** What a variant is called. */
export function variantTitle(schema, index) {
  if (schema.title) {
    return schema.title;
  }
  const mark = propertiesOf(schema).find(([, property]) => isObject(property) && 'const' in property);
  if (mark) {
    return `${mark[0]}: ${word(mark[1].const)}`;
  }
  return `${index + 1}: ${typeOf(schema)}`;
}

/**
 * The value that a form begins with; undefined for what is left out unless a person writes it, and for
 * what follows after the first 1,000 values.
 *
 * @param {boolean} required
 */
export function initial(schema, root, required, depth = 0, left = {values: MOST_BEGUN, characters: MOST_DEFAULT}) {
  const form = resolve(schema, root);
  if (left.values-- <= 0) {
    return undefined;
  }
  if (form.default !== undefined) {
    const text = JSON.stringify(form.default);
    left.characters -= text.length;
    return left.characters < 0 ? undefined : structuredClone(form.default);
  }
  if ('const' in form) {
    return form.const;
  }
  if (!required || depth > DEEPEST) {
    return undefined;
  }
  const options = choices(form);
  if (options) {
    return undefined;
  }
  const several = variants(form, root);
  if (several?.length) {
    return initial(several[0], root, required, depth + 1, left);
  }
  switch (typeOf(form)) {
    case 'object': return initialObject(form, root, depth, left);
    case 'array': return [];
    case 'boolean': return false;
    default: return undefined;
  }
}

export function initialObject(form, root, depth = 0, left = {values: MOST_BEGUN, characters: MOST_DEFAULT}) {
  const value = {};
  const required = requiredOf(form);
  for (const [name, property] of propertiesOf(form)) {
    if (left.values <= 0) {
      break;
    }
    const first = initial(property, root, required.has(name), depth + 1, left);
    if (first !== undefined) {
      define(value, name, first);
    }
  }
  return value;
}

/** A member of a value, never one that every object has. */
export const own = (value, name) =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? value[name] : undefined;

/** Sets a member, also one named `__proto__`. */
export function define(object, name, value) {
  Object.defineProperty(object, name, {value, writable: true, enumerable: true, configurable: true});
}
