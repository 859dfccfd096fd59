import { as } from '../sql/as.js';
import { sql } from '../sql/sql.js';

/** Reads all rights of a role on the tables of the schema, whether granted, inherited from another role, or as the owner. */
export const rightsOf = (role: string) => sql`
  select relname ${as.text('table')},
         array(select privilege
                 from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) privilege
                where has_table_privilege(${role}, c.oid, privilege)) ${as.texts('rights')},
         array(select attname::text from pg_attribute
                where attrelid = c.oid and attnum > 0 and not attisdropped
                  and has_column_privilege(${role}, c.oid, attnum, 'update')) ${as.texts('updatable')}
    from pg_class c
   where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
   order by relname`;

/** Reads whether a role owns a table of the schema, or may become its owner. */
export const ownershipOf = (role: string) => sql`
  select coalesce(bool_or(pg_has_role(${role}, relowner, 'member')), false) ${as.boolean('owns')} from pg_class
   where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`;

/** Reads whether a role may create tables. */
export const creationRightOf = (role: string) => sql`
  select has_schema_privilege(${role}, current_schema(), 'create')
      or has_database_privilege(${role}, current_database(), 'create, temporary') ${as.boolean('makes')}`;

/** Reads the names of schema and database, and whether a role may use the schema. */
export const schemaUseOf = (role: string) => sql`
  select current_schema() ${as.text('name')}, current_database() ${as.text('database')},
         has_schema_privilege(${role}, current_schema(), 'usage') ${as.boolean('mayUse')}`;
