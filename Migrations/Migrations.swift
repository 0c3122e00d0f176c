package import Postgres

/// The database's schema, step by step.
package enum Migrations {
    /// Every step there is, in order; a new file in `SQL/` gets its line here or in `readModels`.
    package static let all =
        [
            file("0001_log.sql"),
            file("0100_read_models.sql"),
        ] + readModels.map(inLiveSchema) + [
            file("0200_accounts.sql"),
            file("0201_sessions.sql"),
            file("0220_extensions.sql"),
            file("0210_password_versions.sql"),
            file("0250_rate_limits.sql"),
            file("0260_erasures.sql"),
            file("0270_mail.sql"),
            file("0280_key_rotation.sql"),
            file("0300_migrations_owner.sql"),
            file("0310_append_at.sql"),
            file("0330_formats.sql"),
            file("0332_guarded_appends.sql"),
            file("0340_projection_faults.sql"),
            file("0341_skipped_events.sql"),
            file("0342_conversations_of.sql"),
            file("0350_epochs.sql"),
            file("0401_newest_of_a_subject.sql"),
            file("0422_drafts.sql"),
            file("0441_blocks_of.sql"),
            file("0442_reports.sql"),
            file("0443_stars.sql"),
            file("0470_shredding.sql"),
            file("0480_scheduled_messages.sql"),
            file("0482_expiry.sql"),
            file("0530_handled_reports.sql"),
            file("0540_presence.sql"),
            file("0600_attachments.sql"),
            file("0602_shredded_attachments.sql"),
            file("0700_consumers.sql"),
            file("0701_devices.sql"),
            file("0702_push.sql"),
            file("0703_push_tokens.sql"),
            file("0720_operators.sql"),
            file("0721_bots.sql"),
            file("0722_webhooks.sql"),
            file("0740_browser_sessions.sql"),
            file("0750_account_links.sql"),
            file("0760_operators_mail.sql"),
            file("0770_claims_of_processes.sql"),
            file("0780_mails_about_webhooks.sql"),
            file("0800_pushes_by_service.sql"),
            file("0810_held_attachments.sql"),
            file("0820_appends_to_few_partitions.sql"),
            file("0830_appends_of_one_event.sql"),
        ]

    /// The files that make the tables of the read models, in the schema that the search path names.
    package static let readModels = [
        file("0101_checkpoints.sql"),
        file("0102_messages.sql"),
        file("0103_conversation_list.sql"),
        file("0104_unread_counts.sql"),
        file("0105_receipts.sql"),
        file("0106_users.sql"),
        file("0221_users_spelling.sql"),
        file("0261_erased_people.sql"),
        file("0290_private_reads.sql"),
        file("0320_newest_rows_first.sql"),
        file("0343_parked_ends.sql"),
        file("0360_partition_keys.sql"),
        file("0361_projections.sql"),
        file("0400_message_changes.sql"),
        file("0420_views.sql"),
        file("0421_permissions.sql"),
        file("0430_system_messages.sql"),
        file("0431_pins.sql"),
        file("0440_blocks.sql"),
        file("0444_forwards.sql"),
        file("0481_retention.sql"),
        file("0483_slow_mode.sql"),
        file("0490_search.sql"),
        file("0500_hidden_messages.sql"),
        file("0501_revisions.sql"),
        file("0510_name_skeletons.sql"),
        file("0520_mentions_of_all.sql"),
        file("0541_show_presence.sql"),
        file("0601_message_attachments.sql"),
        file("0790_group_as_left.sql"),
        file("0791_ended_memberships.sql"),
    ]

    private static func file(_ name: String) -> MigrationFile {
        guard let bytes = EmbeddedFiles.all[name] else { preconditionFailure("there is no SQL/\(name)") }
        return MigrationFile(name: name, text: String(decoding: bytes, as: UTF8.self))
    }

    private static func inLiveSchema(_ file: MigrationFile) -> MigrationFile {
        MigrationFile(name: file.name, text: "SET LOCAL search_path = read_live;\n" + file.text)
    }
}
