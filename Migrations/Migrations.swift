package import Postgres

/// The database's schema, step by step.
package enum Migrations {
    /// Every step there is, in order; a new file in `SQL/` gets its line here or in `readModels`.
    package static let all =
        [
            file("0001_log.sql", PackageResources._001_log_sql),
            file("0100_read_models.sql", PackageResources._100_read_models_sql),
        ] + readModels.map(inLiveSchema) + [
            file("0200_accounts.sql", PackageResources._200_accounts_sql),
            file("0201_sessions.sql", PackageResources._201_sessions_sql),
            file("0220_extensions.sql", PackageResources._220_extensions_sql),
            file("0210_password_versions.sql", PackageResources._210_password_versions_sql),
            file("0250_rate_limits.sql", PackageResources._250_rate_limits_sql),
            file("0260_erasures.sql", PackageResources._260_erasures_sql),
            file("0270_mail.sql", PackageResources._270_mail_sql),
            file("0280_key_rotation.sql", PackageResources._280_key_rotation_sql),
            file("0300_migrations_owner.sql", PackageResources._300_migrations_owner_sql),
            file("0310_append_at.sql", PackageResources._310_append_at_sql),
            file("0330_formats.sql", PackageResources._330_formats_sql),
            file("0332_guarded_appends.sql", PackageResources._332_guarded_appends_sql),
            file("0340_projection_faults.sql", PackageResources._340_projection_faults_sql),
            file("0341_skipped_events.sql", PackageResources._341_skipped_events_sql),
            file("0342_conversations_of.sql", PackageResources._342_conversations_of_sql),
            file("0350_epochs.sql", PackageResources._350_epochs_sql),
            file("0401_newest_of_a_subject.sql", PackageResources._401_newest_of_a_subject_sql),
            file("0422_drafts.sql", PackageResources._422_drafts_sql),
            file("0441_blocks_of.sql", PackageResources._441_blocks_of_sql),
            file("0442_reports.sql", PackageResources._442_reports_sql),
            file("0443_stars.sql", PackageResources._443_stars_sql),
            file("0470_shredding.sql", PackageResources._470_shredding_sql),
            file("0480_scheduled_messages.sql", PackageResources._480_scheduled_messages_sql),
            file("0482_expiry.sql", PackageResources._482_expiry_sql),
            file("0530_handled_reports.sql", PackageResources._530_handled_reports_sql),
            file("0540_presence.sql", PackageResources._540_presence_sql),
            file("0600_attachments.sql", PackageResources._600_attachments_sql),
            file("0602_shredded_attachments.sql", PackageResources._602_shredded_attachments_sql),
            file("0700_consumers.sql", PackageResources._700_consumers_sql),
            file("0701_devices.sql", PackageResources._701_devices_sql),
            file("0702_push.sql", PackageResources._702_push_sql),
            file("0703_push_tokens.sql", PackageResources._703_push_tokens_sql),
            file("0720_operators.sql", PackageResources._720_operators_sql),
            file("0721_bots.sql", PackageResources._721_bots_sql),
            file("0722_webhooks.sql", PackageResources._722_webhooks_sql),
            file("0740_browser_sessions.sql", PackageResources._740_browser_sessions_sql),
            file("0750_account_links.sql", PackageResources._750_account_links_sql),
            file("0760_operators_mail.sql", PackageResources._760_operators_mail_sql),
            file("0770_claims_of_processes.sql", PackageResources._770_claims_of_processes_sql),
            file("0780_mails_about_webhooks.sql", PackageResources._780_mails_about_webhooks_sql),
            file("0800_pushes_by_service.sql", PackageResources._800_pushes_by_service_sql),
            file("0810_held_attachments.sql", PackageResources._810_held_attachments_sql),
            file("0820_appends_to_few_partitions.sql", PackageResources._820_appends_to_few_partitions_sql),
            file("0830_appends_of_one_event.sql", PackageResources._830_appends_of_one_event_sql),
        ]

    /// The files that make the tables of the read models, in the schema that the search path names.
    package static let readModels = [
        file("0101_checkpoints.sql", PackageResources._101_checkpoints_sql),
        file("0102_messages.sql", PackageResources._102_messages_sql),
        file("0103_conversation_list.sql", PackageResources._103_conversation_list_sql),
        file("0104_unread_counts.sql", PackageResources._104_unread_counts_sql),
        file("0105_receipts.sql", PackageResources._105_receipts_sql),
        file("0106_users.sql", PackageResources._106_users_sql),
        file("0221_users_spelling.sql", PackageResources._221_users_spelling_sql),
        file("0261_erased_people.sql", PackageResources._261_erased_people_sql),
        file("0290_private_reads.sql", PackageResources._290_private_reads_sql),
        file("0320_newest_rows_first.sql", PackageResources._320_newest_rows_first_sql),
        file("0343_parked_ends.sql", PackageResources._343_parked_ends_sql),
        file("0360_partition_keys.sql", PackageResources._360_partition_keys_sql),
        file("0361_projections.sql", PackageResources._361_projections_sql),
        file("0400_message_changes.sql", PackageResources._400_message_changes_sql),
        file("0420_views.sql", PackageResources._420_views_sql),
        file("0421_permissions.sql", PackageResources._421_permissions_sql),
        file("0430_system_messages.sql", PackageResources._430_system_messages_sql),
        file("0431_pins.sql", PackageResources._431_pins_sql),
        file("0440_blocks.sql", PackageResources._440_blocks_sql),
        file("0444_forwards.sql", PackageResources._444_forwards_sql),
        file("0481_retention.sql", PackageResources._481_retention_sql),
        file("0483_slow_mode.sql", PackageResources._483_slow_mode_sql),
        file("0490_search.sql", PackageResources._490_search_sql),
        file("0500_hidden_messages.sql", PackageResources._500_hidden_messages_sql),
        file("0501_revisions.sql", PackageResources._501_revisions_sql),
        file("0510_name_skeletons.sql", PackageResources._510_name_skeletons_sql),
        file("0520_mentions_of_all.sql", PackageResources._520_mentions_of_all_sql),
        file("0541_show_presence.sql", PackageResources._541_show_presence_sql),
        file("0601_message_attachments.sql", PackageResources._601_message_attachments_sql),
        file("0790_group_as_left.sql", PackageResources._790_group_as_left_sql),
        file("0791_ended_memberships.sql", PackageResources._791_ended_memberships_sql),
    ]

    private static func file(_ name: String, _ bytes: [UInt8]) -> MigrationFile {
        MigrationFile(name: name, text: String(decoding: bytes, as: UTF8.self))
    }

    private static func inLiveSchema(_ file: MigrationFile) -> MigrationFile {
        MigrationFile(name: file.name, text: "SET LOCAL search_path = read_live;\n" + file.text)
    }
}
